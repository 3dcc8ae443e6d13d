"""Computes the state, the annotators and the order of the items in a queue."""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from spanloom.core.model.annotation_queue import Alike, Event, Order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from spanloom.core.model.annotation_queue import Queue, QueueEvent, QueueItem


class ItemEvents:
    """Derives the state of items from a queue's events, which may be repeated and in any order."""

    def __init__(self, events: Iterable[QueueEvent]) -> None:
        """Apply all events in the order of their times."""
        self._last: defaultdict[str, dict[str, QueueEvent]] = defaultdict(dict)
        self._begun: dict[tuple[str, str], int] = {}
        self._adjudicated: set[str] = set()
        for event in sorted(set(events), key=lambda e: (e.at_us, e.trace_id, e.annotator, e.event)):
            self._note(event)

    def done_by(self, trace_id: str) -> Sequence[str]:
        """Return the annotators who have finished an item, in the order of their first event."""
        return [who for who, e in self._of(trace_id).items() if e.event is Event.DONE]

    def at_work_on(self, trace_id: str, since_us: int = 0) -> Sequence[str]:
        """Return the annotators who started or reopened an item since a time and have not finished.

        ``since_us`` is in microseconds since the epoch.
        """
        return [
            who
            for who, e in self._of(trace_id).items()
            if e.event is not Event.DONE and e.at_us >= since_us
        ]

    def is_touched(self, trace_id: str) -> bool:
        """Return whether any annotator has started or finished an item."""
        return bool(self._of(trace_id))

    def is_adjudicated(self, trace_id: str) -> bool:
        """Return whether an item was adjudicated and not reopened since."""
        return trace_id in self._adjudicated

    def seconds(self, trace_id: str, annotator: str) -> float | None:
        """Return the seconds that an annotator took to finish an item; ``None`` if unknown."""
        begun = self._begun.get((trace_id, annotator))
        done = self._last[trace_id][annotator].at_us
        return None if begun is None else max(0, done - begun) / 1e6

    def annotators(self) -> Sequence[str]:
        """Return all annotators with events, sorted by name."""
        return sorted({who for of_item in self._last.values() for who in of_item})

    def _of(self, trace_id: str) -> Mapping[str, QueueEvent]:
        return self._last.get(trace_id, {})

    def _note(self, event: QueueEvent) -> None:
        if event.event is Event.ADJUDICATED:
            self._adjudicated.add(event.trace_id)
            return
        last = self._last[event.trace_id]
        known = last.get(event.annotator)
        if event.event is Event.REOPENED:
            self._adjudicated.discard(event.trace_id)
        if event.event is Event.BEGUN:
            self._begun.setdefault((event.trace_id, event.annotator), event.at_us)
            if known and known.event is Event.DONE:
                return  # opening a finished item again does not change its state
        last[event.annotator] = event


def assign(
    items: Sequence[str],
    annotators: Sequence[str],
    each: int,
    done: Mapping[str, Collection[str]],
    away: Collection[str] = (),
) -> Mapping[str, Sequence[str]]:
    """Assign ``each`` annotators to every item, or all annotators if there are fewer.

    The result depends only on the arguments, so no assignment is stored and no lock is needed.
    Annotators who are ``away`` keep their finished items; their unfinished items are assigned to
    others in addition to the items that these already have. An annotator who has finished an item
    without being assigned to it counts as one of its annotators.
    """
    load: Counter[str] = Counter()
    assigned = {item: _least_loaded(item, annotators, each, load) for item in items}
    for item in items:
        finished = done.get(item, ())
        stay = [who for who in assigned[item] if who not in away or who in finished]
        load.subtract(set(assigned[item]) - set(stay))
        extra = [who for who in finished if who not in stay]
        load.update(extra)
        free = [who for who in annotators if who not in away and who not in (*stay, *extra)]
        lacking = max(0, min(each, len(annotators)) - len(stay) - len(extra))
        assigned[item] = [*stay, *extra, *_least_loaded(item, free, lacking, load)]
    return assigned


def _least_loaded(
    item: str, annotators: Sequence[str], count: int, load: Counter[str]
) -> list[str]:
    """Return the ``count`` annotators with the fewest items, and add one to their load."""
    ordered = sorted(annotators, key=lambda who: (load[who], _rank(item, who)))[:count]
    load.update(ordered)
    return ordered


def _rank(item: str, annotator: str) -> bytes:
    """Return a hash; sorting an item's annotators by it gives a fixed pseudorandom order."""
    return blake2b(f"{item}\0{annotator}".encode(errors="replace"), digest_size=8).digest()


_UNKNOWN = Alike(1, 1)


def in_turn(
    queue: Queue, items: Sequence[QueueItem], alike: Mapping[str, Alike]
) -> Sequence[QueueItem]:
    """Sort the items by the queue's order; equal items stay in the order of their addition."""
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
    """Return whether a finished item needs adjudication: low agreement, or drawn as a sample."""
    is_below = queue.threshold is not None and alike is not None and share(alike) < queue.threshold
    return is_below or _drawn(f"{queue.name}\0sample", trace_id) < queue.sample


def share(alike: Alike) -> float:
    """Return the share, 0 to 1, of an item's jointly judged steps on which all annotators agree."""
    return alike.same / alike.shared


def _drawn(queue: str, trace_id: str) -> float:
    """Return a pseudo-random number in [0, 1) that depends only on queue name and trace id."""
    digest = blake2b(f"{queue}\0{trace_id}".encode(errors="replace"), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2**48
