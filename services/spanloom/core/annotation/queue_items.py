"""Items of a queue: events, assignment without locks, order."""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from spanloom.core.model.annotation_queue import Alike, Event, Order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from spanloom.core.model.annotation_queue import Queue, QueueEvent, QueueItem


class Happened:
    """The events of a queue; they may come in any order, and more than once."""

    def __init__(self, events: Iterable[QueueEvent]) -> None:
        """Take all of them."""
        self._last: defaultdict[str, dict[str, QueueEvent]] = defaultdict(dict)
        self._begun: dict[tuple[str, str], int] = {}
        self._adjudicated: set[str] = set()
        for event in sorted(set(events), key=lambda e: (e.at_us, e.trace_id, e.annotator, e.event)):
            self._note(event)

    def done_by(self, trace_id: str) -> Sequence[str]:
        """Return who is done with an item, whoever was first coming first."""
        return [who for who, e in self._of(trace_id).items() if e.event is Event.DONE]

    def at_work_on(self, trace_id: str, since_us: int = 0) -> Sequence[str]:
        """Return who has begun an item, or again, since a time, and is not done with it."""
        return [
            who
            for who, e in self._of(trace_id).items()
            if e.event is not Event.DONE and e.at_us >= since_us
        ]

    def is_touched(self, trace_id: str) -> bool:
        """Return whether anybody ever began an item."""
        return bool(self._of(trace_id))

    def is_adjudicated(self, trace_id: str) -> bool:
        """Return whether somebody decided, and nobody reopened the item since."""
        return trace_id in self._adjudicated

    def seconds(self, trace_id: str, annotator: str) -> float | None:
        """Return how long somebody who is done took from beginning to done; None: unknown."""
        begun = self._begun.get((trace_id, annotator))
        done = self._last[trace_id][annotator].at_us
        return None if begun is None else max(0, done - begun) / 1e6

    def annotators(self) -> Sequence[str]:
        """Return everybody who began or finished anything, by name."""
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
                return  # looked at again: it is done still
        last[event.annotator] = event


def assign(
    items: Sequence[str],
    annotators: Sequence[str],
    each: int,
    done: Mapping[str, Collection[str]],
    away: Collection[str] = (),
) -> Mapping[str, Sequence[str]]:
    """Return the annotators of each item: ``each`` of them, or all if there are fewer.

    Those who are ``away`` keep what they have done; what they have not goes to others, and nothing
    of theirs moves. Whoever did an item that was not theirs counts among its annotators.
    """
    load: Counter[str] = Counter()
    found = {item: _least_loaded(item, annotators, each, load) for item in items}
    for item in items:
        finished = done.get(item, ())
        stay = [who for who in found[item] if who not in away or who in finished]
        load.subtract(set(found[item]) - set(stay))
        extra = [who for who in finished if who not in stay]
        load.update(extra)
        free = [who for who in annotators if who not in away and who not in (*stay, *extra)]
        lacking = max(0, min(each, len(annotators)) - len(stay) - len(extra))
        found[item] = [*stay, *extra, *_least_loaded(item, free, lacking, load)]
    return found


def _least_loaded(
    item: str, annotators: Sequence[str], count: int, load: Counter[str]
) -> list[str]:
    """Return so many annotators for an item, and count it as theirs."""
    ordered = sorted(annotators, key=lambda who: (load[who], _rank(item, who)))[:count]
    load.update(ordered)
    return ordered


def _rank(item: str, annotator: str) -> bytes:
    """Return what puts annotators of one item in an order that nobody chose."""
    return blake2b(f"{item}\0{annotator}".encode(errors="replace"), digest_size=8).digest()


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
