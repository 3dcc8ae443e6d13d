"""A queue as it stands: who has which item, how far each is, and what is next for somebody."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.annotation.assignment import assign
from spanloom.core.model.annotation_queue import Event, Order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.annotation_queue import Queue, QueueEvent, QueueItem


class ItemState(StrEnum):
    """How far an item is."""

    OPEN = "open"
    BEGUN = "begun"
    DONE = "done"
    """All its annotators are done."""
    ADJUDICATED = "adjudicated"


class Progress(NamedTuple):
    """How far one annotator is."""

    assigned: int
    done: int
    seconds: float
    """From beginning to done, of all items together."""


class Desk:
    """A queue with its items and all that happened with them."""

    def __init__(
        self, queue: Queue, items: Sequence[QueueItem], events: Iterable[QueueEvent]
    ) -> None:
        """Take items in the order of places, and events oldest first."""
        self.queue = queue
        self.items = items
        self._trace_ids = {item.trace_id for item in items}
        self._last: dict[str, dict[str, QueueEvent]] = {}
        self._begun: dict[tuple[str, str], int] = {}
        self._adjudicated: set[str] = set()
        for event in events:
            self._note(event)

    @cached_property
    def assigned(self) -> Mapping[str, Sequence[str]]:
        """The annotators of each item."""
        ids = [item.trace_id for item in self.items]
        done = {trace_id: self.done_by(trace_id) for trace_id in ids}
        queue = self.queue
        return assign(ids, queue.annotators, queue.each, done, queue.away)

    def has(self, trace_id: str) -> bool:
        """Return whether a trajectory is in the queue."""
        return trace_id in self._trace_ids

    def done_by(self, trace_id: str) -> Sequence[str]:
        """Return who is done with an item."""
        last = self._last.get(trace_id, {})
        return [who for who, event in last.items() if event.event is Event.DONE]

    def state(self, trace_id: str) -> ItemState:
        """Return how far an item is."""
        if trace_id in self._adjudicated:
            return ItemState.ADJUDICATED
        done = set(self.done_by(trace_id))
        if done and done >= set(self.assigned.get(trace_id, ())):
            return ItemState.DONE
        return ItemState.BEGUN if trace_id in self._last else ItemState.OPEN

    def may_see(self, trace_id: str, reader: str) -> bool:
        """Return whether somebody may see what others say of an item of this blind queue."""
        if not self.has(trace_id) or self.state(trace_id) in (
            ItemState.DONE,
            ItemState.ADJUDICATED,
        ):
            return True
        return bool(reader) and reader in self.done_by(trace_id)

    def next_for(self, annotator: str) -> str | None:
        """Return the item that somebody has begun, else the next that is theirs; ``None``: none."""
        mine = [
            item.trace_id
            for item in self._ordered()
            if annotator in self.assigned[item.trace_id]
            and annotator not in self.done_by(item.trace_id)
        ]
        begun = (trace_id for trace_id in mine if annotator in self._last.get(trace_id, {}))
        return next(begun, mine[0] if mine else None)

    def progress(self) -> Mapping[str, Progress]:
        """Return how far each annotator is, by name."""
        found = {}
        for who in self.queue.annotators:
            done = [i.trace_id for i in self.items if who in self.done_by(i.trace_id)]
            mine = sum(who in names for names in self.assigned.values())
            found[who] = Progress(mine, len(done), sum(self._seconds(of, who) for of in done))
        return found

    def _note(self, event: QueueEvent) -> None:
        if event.event is Event.ADJUDICATED:
            self._adjudicated.add(event.trace_id)
            return
        last = self._last.setdefault(event.trace_id, {})
        known = last.get(event.annotator)
        if event.event is Event.REOPENED:
            self._adjudicated.discard(event.trace_id)
        if event.event is Event.BEGUN:
            self._begun.setdefault((event.trace_id, event.annotator), event.at_us)
            if known and known.event is Event.DONE:
                return  # looked at again: it is done still
        last[event.annotator] = event

    def _ordered(self) -> Sequence[QueueItem]:
        """Return the items as annotators get them."""
        if self.queue.order is Order.RANDOM:
            return sorted(self.items, key=lambda item: _shuffled(self.queue.name, item))
        return self.items

    def _seconds(self, trace_id: str, annotator: str) -> float:
        begun = self._begun.get((trace_id, annotator))
        done = self._last[trace_id][annotator].at_us
        return 0.0 if begun is None else max(0, done - begun) / 1e6


def _shuffled(queue: str, item: QueueItem) -> bytes:
    return blake2b(f"{queue}\0{item.trace_id}".encode(errors="replace"), digest_size=8).digest()
