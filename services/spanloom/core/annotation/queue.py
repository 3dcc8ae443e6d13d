"""A queue of runs to annotate: assignment, progress, what is next, what is withheld."""

from __future__ import annotations

from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.annotation.queue_items import Happened, assign, in_turn, is_disputed
from spanloom.core.model.annotation_queue import ItemState, Mode
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.annotation_queue import Alike, Queue, QueueEvent, QueueItem
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotations import QueueReader


CLAIM_US = 30 * 60 * 1_000_000
"""How long an item of a free queue is kept for somebody who began it and is not done."""


class Desk:
    """A queue with its items and all that happened with them."""

    def __init__(
        self,
        queue: Queue,
        items: Sequence[QueueItem],
        events: Iterable[QueueEvent],
        alike: Mapping[str, Alike] | None = None,
        now_us: int = 0,
    ) -> None:
        """Take items in the order of places, events in any, and how alike items are judged.

        The time is that by which claims of a free queue are over.
        """
        self.queue = queue
        self.items = items
        self.alike = alike or {}
        self._by_id = {item.trace_id: item for item in items}
        self._happened = Happened(events)
        self._since_us = max(0, now_us - CLAIM_US)

    @cached_property
    def assigned(self) -> Mapping[str, Sequence[str]]:
        """The annotators of each item; of a free queue those who did it or are at it."""
        if self.queue.mode is Mode.FREE:
            return {item: [*self.done_by(item), *self._at_work_on(item)] for item in self._by_id}
        queue = self.queue
        shared = [item.trace_id for item in self.items if not item.is_gold]
        done = {trace_id: self.done_by(trace_id) for trace_id in shared}
        found = assign(shared, queue.annotators, queue.each, done, queue.away)
        gold = {
            item.trace_id: self._everybody(item.trace_id) for item in self.items if item.is_gold
        }
        return {**found, **gold}

    def item(self, trace_id: str) -> QueueItem | None:
        """Return an item; ``None`` of a trajectory that is not in the queue."""
        return self._by_id.get(trace_id)

    def has(self, trace_id: str) -> bool:
        """Return whether a trajectory is in the queue."""
        return trace_id in self._by_id

    def done_by(self, trace_id: str) -> Sequence[str]:
        """Return who is done with an item."""
        return self._happened.done_by(trace_id)

    def state(self, trace_id: str) -> ItemState:
        """Return how far an item is."""
        if self._happened.is_adjudicated(trace_id):
            return ItemState.ADJUDICATED
        if self.is_done(trace_id):
            is_gold = self._by_id[trace_id].is_gold
            disputed = is_disputed(self.queue, trace_id, self.alike.get(trace_id))
            return ItemState.TO_ADJUDICATE if disputed and not is_gold else ItemState.DONE
        is_free = self.queue.mode is Mode.FREE
        begun = self.assigned.get(trace_id) if is_free else self._happened.is_touched(trace_id)
        return ItemState.BEGUN if begun else ItemState.OPEN

    def is_done(self, trace_id: str) -> bool:
        """Return whether all whom an item waits for are done with it."""
        done, item = set(self.done_by(trace_id)), self._by_id.get(trace_id)
        if self.queue.mode is Mode.FREE and not (item and item.is_gold and self.queue.annotators):
            return len(done) >= self.queue.each
        wanted = self._everybody(trace_id) if item and item.is_gold else self.assigned.get(trace_id)
        return bool(done) and done >= set(wanted or ())

    def may_see(self, trace_id: str, reader: str) -> bool:
        """Return whether somebody may see what others say of an item.

        What is known of a gold item is withheld like what others say in a blind queue.
        """
        item = self._by_id.get(trace_id)
        if item is None or not (self.queue.is_blind or item.is_gold) or self.is_done(trace_id):
            return True
        if self._happened.is_adjudicated(trace_id):
            return True
        return bool(reader) and reader in self.done_by(trace_id)

    def mine(self, annotator: str) -> Sequence[str]:
        """Return the items that are somebody's or may become it, in turn; done ones too."""
        return [i.trace_id for i in self._turns if self._is_for(i.trace_id, annotator)]

    def next_for(self, annotator: str) -> str | None:
        """Return the item that somebody has begun, else the next that is theirs; ``None``: none."""
        left = [of for of in self.mine(annotator) if annotator not in self.done_by(of)]
        begun = (of for of in left if annotator in self._happened.at_work_on(of, self._since))
        return next(begun, left[0] if left else None)

    def begins(self, trace_id: str, annotator: str) -> bool:
        """Return whether somebody begins an item by opening it: theirs, and not begun or done."""
        at_it = [*self.done_by(trace_id), *self._at_work_on(trace_id)]
        return annotator not in at_it and self._is_for(trace_id, annotator)

    def seconds(self, trace_id: str, annotator: str) -> float | None:
        """Return how long somebody who is done with an item took; None where nobody knows."""
        return self._happened.seconds(trace_id, annotator)

    def everybody(self) -> Sequence[str]:
        """Return the annotators of the queue, and whoever else did something."""
        return list(dict.fromkeys([*self.queue.annotators, *self._happened.annotators()]))

    @property
    def _since(self) -> int:
        """When a claim must have begun to be one still; any time, where items are assigned."""
        return self._since_us if self.queue.mode is Mode.FREE else 0

    @cached_property
    def _turns(self) -> Sequence[QueueItem]:
        return in_turn(self.queue, self.items, self.alike)

    def _at_work_on(self, trace_id: str) -> Sequence[str]:
        return self._happened.at_work_on(trace_id, self._since)

    def _everybody(self, trace_id: str) -> Sequence[str]:
        """Return all annotators but those who are away, and whoever did the item anyway."""
        here = [who for who in self.queue.annotators if who not in self.queue.away]
        return list(dict.fromkeys([*here, *self.done_by(trace_id)]))

    def _is_for(self, trace_id: str, annotator: str) -> bool:
        if self.queue.mode is not Mode.FREE or annotator in self.assigned[trace_id]:
            return annotator in self.assigned[trace_id]
        is_asked = not self.queue.annotators or annotator in self.queue.annotators
        has_room = len(self.assigned[trace_id]) < self.queue.each or self._by_id[trace_id].is_gold
        return is_asked and annotator not in self.queue.away and has_room


class Progress(NamedTuple):
    """How far one annotator is."""

    assigned: int
    done: int
    timed: int
    """Of those that are done, how many have a beginning; when the others were, nobody saw."""
    seconds: float
    """From beginning to done, of all timed items together."""
    median_seconds: float | None
    """Of one of them: a night between beginning and done makes no item long. Of none: unknown."""


class Accuracy(NamedTuple):
    """One annotator against the answers that are known."""

    answers: int
    """Known answers about items that the annotator is done with."""
    right: int
    """Of them, those that the annotator gave too."""


def progress_of(desk: Desk) -> Mapping[str, Progress]:
    """Return how far each annotator is, by name."""
    found = {}
    for who in desk.everybody():
        done = [i.trace_id for i in desk.items if who in desk.done_by(i.trace_id)]
        mine = sum(who in names for names in desk.assigned.values())
        if mine or who in desk.queue.annotators:
            took = [seconds for of in done if (seconds := desk.seconds(of, who)) is not None]
            middle = median(took) if took else None
            found[who] = Progress(mine, len(done), len(took), sum(took), middle)
    return found


def overlap_of(desk: Desk) -> int:
    """Return how many items two or more annotators are done with."""
    return sum(len(desk.done_by(item.trace_id)) > 1 for item in desk.items)


def accuracy_of(known: Mapping[str, str], said: Mapping[str, str]) -> Accuracy:
    """Return how many of the known answers, by step, somebody gave too; silence is no answer."""
    return Accuracy(len(known), sum(said.get(step) == answer for step, answer in known.items()))


def withheld_from_all(queues: QueueReader, reach: Reach) -> AbstractSet[TraceKey]:
    """Return the trajectories of which nothing may be told that people or models say."""
    desks = [
        Desk(queue, queues.items(queue), queues.events(queue))
        for queue in queues.list(reach)
        if queue.is_blind
    ]
    return {
        TraceKey(desk.queue.project, item.trace_id)
        for desk in desks
        for item in desk.items
        if not desk.may_see(item.trace_id, "")
    }
