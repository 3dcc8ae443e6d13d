"""Derives the state of an annotation queue: assignment, progress, next item, what is withheld."""

from __future__ import annotations

from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.annotation.queue_items import ItemEvents, assign, in_turn, is_disputed
from spanloom.core.model.annotation_queue import ItemState, Mode
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.access import Reach
    from spanloom.core.model.annotation_queue import Alike, Queue, QueueEvent, QueueItem
    from spanloom.core.ports.annotations import QueueReader

CLAIM_US = 30 * 60 * 1_000_000
"""How long a started item in a free queue is reserved for its annotator, in microseconds."""


class QueueView:
    """The state of a queue at a time, derived from its items and their events."""

    def __init__(
        self,
        queue: Queue,
        items: Sequence[QueueItem],
        events: Iterable[QueueEvent],
        alike: Mapping[str, Alike] | None = None,
        now_us: int = 0,
    ) -> None:
        """Derive the state of a queue at the time ``now_us``, in microseconds since the epoch.

        ``items`` are in the order of their addition, ``events`` in any order. ``alike`` has the
        agreement on each item. In a free queue a started item is no longer reserved after
        ``CLAIM_US``.
        """
        self.queue = queue
        self.items = items
        self.alike = alike or {}
        self._by_id = {item.trace_id: item for item in items}
        self._events = ItemEvents(events)
        self._since_us = max(0, now_us - CLAIM_US)

    @cached_property
    def assigned(self) -> Mapping[str, Sequence[str]]:
        """The annotators of each item; in a free queue, all who have finished it or work on it."""
        if self.queue.mode is Mode.FREE:
            return {item: [*self.done_by(item), *self._at_work_on(item)] for item in self._by_id}
        queue = self.queue
        shared = [item.trace_id for item in self.items if not item.is_gold]
        done = {trace_id: self.done_by(trace_id) for trace_id in shared}
        assigned = assign(shared, queue.annotators, queue.each, done, queue.away)
        gold = {
            item.trace_id: self._everybody(item.trace_id) for item in self.items if item.is_gold
        }
        return {**assigned, **gold}

    def item(self, trace_id: str) -> QueueItem | None:
        """Return an item; ``None`` if the trajectory is not in the queue."""
        return self._by_id.get(trace_id)

    def has(self, trace_id: str) -> bool:
        """Return whether a trajectory is in the queue."""
        return trace_id in self._by_id

    def done_by(self, trace_id: str) -> Sequence[str]:
        """Return the annotators who have finished an item."""
        return self._events.done_by(trace_id)

    def state(self, trace_id: str) -> ItemState:
        """Return the state of an item."""
        if self._events.is_adjudicated(trace_id):
            return ItemState.ADJUDICATED
        if self.is_done(trace_id):
            is_gold = self._by_id[trace_id].is_gold
            disputed = is_disputed(self.queue, trace_id, self.alike.get(trace_id))
            return ItemState.TO_ADJUDICATE if disputed and not is_gold else ItemState.DONE
        is_free = self.queue.mode is Mode.FREE
        begun = self.assigned.get(trace_id) if is_free else self._events.is_touched(trace_id)
        return ItemState.BEGUN if begun else ItemState.OPEN

    def is_done(self, trace_id: str) -> bool:
        """Return whether enough annotators, or all assigned annotators, have finished an item."""
        done, item = set(self.done_by(trace_id)), self._by_id.get(trace_id)
        if self.queue.mode is Mode.FREE and not (item and item.is_gold and self.queue.annotators):
            return len(done) >= self.queue.each
        needed = self._everybody(trace_id) if item and item.is_gold else self.assigned.get(trace_id)
        return bool(done) and done >= set(needed or ())

    def may_see(self, trace_id: str, reader: str) -> bool:
        """Return whether the caller may see other people's annotations of an item.

        In a blind queue, and of a gold item in any queue, they are withheld until the caller has
        finished the item, or it is done or adjudicated. This includes known answers.
        """
        item = self._by_id.get(trace_id)
        if item is None or not (self.queue.is_blind or item.is_gold) or self.is_done(trace_id):
            return True
        if self._events.is_adjudicated(trace_id):
            return True
        return bool(reader) and reader in self.done_by(trace_id)

    def mine(self, annotator: str) -> Sequence[str]:
        """Return the items, in order, that an annotator was assigned, has finished, or can get."""
        return [i.trace_id for i in self._turns if self._is_for(i.trace_id, annotator)]

    def next_for(self, annotator: str) -> str | None:
        """Return an annotator's started item, otherwise the next item; ``None`` if none is left."""
        left = [of for of in self.mine(annotator) if annotator not in self.done_by(of)]
        begun = (of for of in left if annotator in self._events.at_work_on(of, self._since))
        return next(begun, left[0] if left else None)

    def begins(self, trace_id: str, annotator: str) -> bool:
        """Return whether opening an item starts it: the annotator may get it, and has not begun."""
        involved = [*self.done_by(trace_id), *self._at_work_on(trace_id)]
        return annotator not in involved and self._is_for(trace_id, annotator)

    def seconds(self, trace_id: str, annotator: str) -> float | None:
        """Return the seconds that an annotator took to finish an item; ``None`` if unknown."""
        return self._events.seconds(trace_id, annotator)

    def everybody(self) -> Sequence[str]:
        """Return the queue's annotators, then all other annotators with events in the queue."""
        return list(dict.fromkeys([*self.queue.annotators, *self._events.annotators()]))

    @property
    def _since(self) -> int:
        """Time, in µs, since which started items are reserved; 0 (always) in an assigned queue."""
        return self._since_us if self.queue.mode is Mode.FREE else 0

    @cached_property
    def _turns(self) -> Sequence[QueueItem]:
        return in_turn(self.queue, self.items, self.alike)

    def _at_work_on(self, trace_id: str) -> Sequence[str]:
        return self._events.at_work_on(trace_id, self._since)

    def _everybody(self, trace_id: str) -> Sequence[str]:
        """Return all annotators who are not away, and all who have finished the item."""
        here = [who for who in self.queue.annotators if who not in self.queue.away]
        return list(dict.fromkeys([*here, *self.done_by(trace_id)]))

    def _is_for(self, trace_id: str, annotator: str) -> bool:
        if self.queue.mode is not Mode.FREE or annotator in self.assigned[trace_id]:
            return annotator in self.assigned[trace_id]
        is_invited = not self.queue.annotators or annotator in self.queue.annotators
        has_room = len(self.assigned[trace_id]) < self.queue.each or self._by_id[trace_id].is_gold
        return is_invited and annotator not in self.queue.away and has_room


class Progress(NamedTuple):
    """The progress of an annotator in a queue."""

    assigned: int
    done: int
    timed: int
    """Number of finished items whose start is known."""
    seconds: float
    """Total time in seconds from start to finish over all timed items."""
    median_seconds: float | None
    """Median seconds per timed item, which a break overnight hardly changes; ``None`` if none."""


class Accuracy(NamedTuple):
    """The number of known answers of gold items that one annotator matched."""

    answers: int
    """Number of known answers in items that the annotator has finished."""
    right: int
    """How many known answers the annotator matched."""


def progress_of(view: QueueView) -> Mapping[str, Progress]:
    """Return the progress of each annotator, keyed by name."""
    progress = {}
    for who in view.everybody():
        done = [i.trace_id for i in view.items if who in view.done_by(i.trace_id)]
        mine = sum(who in names for names in view.assigned.values())
        if mine or who in view.queue.annotators:
            took = [seconds for of in done if (seconds := view.seconds(of, who)) is not None]
            middle = median(took) if took else None
            progress[who] = Progress(mine, len(done), len(took), sum(took), middle)
    return progress


def overlap_of(view: QueueView) -> int:
    """Return how many items two or more annotators have finished."""
    return sum(len(view.done_by(item.trace_id)) > 1 for item in view.items)


def accuracy_of(known: Mapping[str, str], answers: Mapping[str, str]) -> Accuracy:
    """Compare answers with known answers, both keyed by step; a missing answer is wrong."""
    return Accuracy(len(known), sum(answers.get(step) == right for step, right in known.items()))


def withheld_from_all(queues: QueueReader, reach: Reach) -> AbstractSet[TraceKey]:
    """Return the trajectories in blind queues whose annotations anonymous callers may not see."""
    views = [
        QueueView(queue, queues.items(queue), queues.events(queue))
        for queue in queues.list(reach)
        if queue.is_blind
    ]
    return {
        TraceKey(view.queue.project, item.trace_id)
        for view in views
        for item in view.items
        if not view.may_see(item.trace_id, "")
    }
