"""In which order items of a queue come to annotators, and which are looked at once more."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from spanloom.core.model.annotation_queue import Alike, Order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.annotation_queue import Queue, QueueItem

_UNKNOWN = Alike(1, 1)


def in_turn(
    queue: Queue, items: Sequence[QueueItem], alike: Mapping[str, Alike]
) -> Sequence[QueueItem]:
    """Return the items as annotators get them; those that are equal stay as they were put in."""
    match queue.order:
        case Order.RANDOM:
            return sorted(items, key=lambda item: _drawn(queue.name, item.trace_id))
        case Order.ERRORS:
            return sorted(items, key=lambda item: -item.failures)
        case Order.DISAGREEMENT:
            return sorted(items, key=lambda item: share(alike.get(item.trace_id, _UNKNOWN)))
        case _:
            return items


def is_disputed(queue: Queue, trace_id: str, alike: Alike | None) -> bool:
    """Return whether an item that is done is to be adjudicated: by threshold, or by sample."""
    is_below = queue.threshold is not None and alike is not None and share(alike) < queue.threshold
    return is_below or _drawn(f"{queue.name}\0sample", trace_id) < queue.sample


def share(alike: Alike) -> float:
    """Return the share that all say the same of, from 0 to 1."""
    return alike.same / alike.shared


def _drawn(queue: str, trace_id: str) -> float:
    """Return a number from 0 to below 1 that nobody chose and everybody works out alike."""
    digest = blake2b(f"{queue}\0{trace_id}".encode(errors="replace"), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2**48
