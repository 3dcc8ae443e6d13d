"""Queues over the store: the next item of an annotator, what is done, how it stands."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.filling import MOST_ITEMS, Filling, UnknownQueueError
from spanloom.annotation.gold import Gold
from spanloom.core.annotation.agreement import undecided
from spanloom.core.annotation.marks import what_is_missing
from spanloom.core.annotation.queue import Desk
from spanloom.core.annotation.states import State
from spanloom.core.errors import PermanentError
from spanloom.core.model.annotation_queue import Event, Queue, QueueEvent
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.annotation.reading import Reading
    from spanloom.annotation.schemes import Schemes
    from spanloom.annotation.versions import Versions
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation_queue import QueueItem
    from spanloom.core.ports.annotations import AnnotationQueueStore
    from spanloom.core.ports.reading import ReadingStore


LIVING_S = 5.0
"""How often a living queue looks for runs at most."""


class Desks:
    """Reads queues. A living one takes in what has come whenever somebody looks at it."""

    def __init__(
        self, queues: AnnotationQueueStore, filling: Filling, now_us: Callable[[], int]
    ) -> None:
        """Take the stored queues, where living ones find runs, and an increasing clock."""
        self._queues = queues
        self._filling = filling
        self._now_us = now_us
        self._looked_us: dict[tuple[str, str], int] = {}

    def of(self, queue: Queue) -> Desk:
        """Return a queue as it stands."""
        items, now_us = self._items(queue), self._now_us()
        return Desk(queue, items, self._queues.events(queue), self._queues.alike(queue), now_us)

    def named(self, project: str, name: str) -> Desk:
        """Return the queue of a name; raises ``UnknownQueueError``."""
        for queue in self._queues.list(Reach.only(project), name):
            return self.of(queue)
        raise UnknownQueueError(f"There is no queue {name!r} in project {project!r}.")

    def holding(self, project: str, name: str, trace_id: str) -> Desk:
        """Return a queue that has a trajectory; raises ``UnknownQueueError``."""
        desk = self.named(project, name)
        if not desk.has(trace_id):
            raise UnknownQueueError(f"Queue {name!r} has no trajectory {trace_id}.")
        return desk

    def listed(self, reach: Reach) -> Sequence[Desk]:
        """Return every queue."""
        return [self.of(queue) for queue in self._queues.list(reach)]

    def _items(self, queue: Queue) -> Sequence[QueueItem]:
        items = self._queues.items(queue)
        if not queue.is_living or not self._is_due(queue):
            return items
        there = {item.trace_id for item in items}
        new = self._filling.asked_for(queue, queue.where, there, MOST_ITEMS - len(there))
        self._queues.add_items(queue, new)
        return [*items, *new]

    def _is_due(self, queue: Queue) -> bool:
        """Return whether it is time to look, and note that somebody does."""
        place, now_us = (queue.project, queue.name), self._now_us()
        if now_us - self._looked_us.get(place, 0) < LIVING_S * 1e6:
            return False
        self._looked_us[place] = now_us
        return True


class NotCompleteError(PermanentError):
    """An item cannot be done: something is missing (409)."""


class Next(NamedTuple):
    """What somebody gets, and how many are left, that one included."""

    trace_id: str | None
    left: int


class Queues:
    """Puts queues, and takes what annotators do with their items."""

    def __init__(
        self,
        store: ReadingStore,
        schemes: Schemes,
        versions: Versions,
        reading: Reading,
        now_us: Callable[[], int],
    ) -> None:
        """Take the store, how annotations are read, and a clock that never stands still."""
        self._queues = store.queues
        self._schemes = schemes
        self._versions = versions
        self._reading = reading
        self._now_us = now_us
        self._filling = Filling(store.runs, now_us)
        self.desks = Desks(store.queues, self._filling, now_us)
        self._taking = Lock()
        self.gold = Gold(store.annotations)

    def put(
        self, queue: Queue, trace_ids: Sequence[str], gold: Sequence[str] = (), where: str = ""
    ) -> Desk:
        """Store a queue and put further trajectories behind those in it; one there keeps its place.

        With a question, what it finds is put in too. Raises ``UnknownSchemeError``,
        ``UnknownQueueError`` for a trajectory that is not stored, and ``NotCompleteError`` for a
        gold one of which nothing is known.
        """
        self._schemes.find(queue.project, queue.scheme)
        for trace_id in gold:
            if not self.gold.is_known(queue, trace_id):
                raise NotCompleteError(
                    f"Nobody has adjudicated {trace_id}: nothing of it is known."
                )
        held = self._queues.items(queue)
        there, golden = {i.trace_id for i in held}, {i.trace_id for i in held if i.is_gold}
        wanted = [trace_id for trace_id in trace_ids if trace_id not in there]
        items = list(self._filling.named(queue, wanted, [g for g in gold if g not in golden]))
        there |= {item.trace_id for item in items}
        if where:
            items += self._filling.asked_for(queue, where, there, MOST_ITEMS + 1 - len(there))
            there |= {item.trace_id for item in items}
        if len(there) > MOST_ITEMS:
            raise NotCompleteError(f"A queue holds {MOST_ITEMS:,} trajectories.")
        queue = replace(queue, has_gold=bool(gold or golden))
        self._queues.put(queue)
        self._queues.add_items(queue, items)
        return self.desks.of(queue)

    def next_for(self, project: str, name: str, annotator: str) -> Next:
        """Return what is next for somebody, and note that they begin it."""
        with self._taking:  # in one process nobody gets what another is about to get
            desk = self.desks.named(project, name)
            trace_id = desk.next_for(annotator)
            if trace_id is not None:
                self._note(desk.queue, trace_id, annotator, Event.BEGUN)
        mine = desk.mine(annotator)
        return Next(trace_id, sum(annotator not in desk.done_by(of) for of in mine))

    def begin(self, project: str, name: str, trace_id: str, annotator: str) -> Desk:
        """Note that somebody opened an item, however: theirs begins with it, once."""
        with self._taking:
            desk = self.desks.holding(project, name, trace_id)
            if not desk.begins(trace_id, annotator):
                return desk
            return self._note(desk.queue, trace_id, annotator, Event.BEGUN)

    def done(self, project: str, name: str, trace_id: str, annotator: str) -> Desk:
        """Note that somebody is done with an item; raises ``NotCompleteError``."""
        desk = self.desks.holding(project, name, trace_id)
        scheme = self._schemes.find(project, desk.queue.scheme)
        if scheme.is_required or scheme.needs_reason:
            self._refuse_incomplete(TraceKey(project, trace_id), scheme, annotator)
        return self._note(desk.queue, trace_id, annotator, Event.DONE)

    def reopen(self, project: str, name: str, trace_id: str, annotator: str) -> Desk:
        """Note that somebody goes on with an item that was done."""
        queue = self.desks.holding(project, name, trace_id).queue
        return self._note(queue, trace_id, annotator, Event.REOPENED)

    def adjudicate(self, project: str, name: str, trace_id: str, annotator: str) -> Desk:
        """Note that somebody who saw what all said has decided; raises ``NotCompleteError``."""
        desk = self.desks.holding(project, name, trace_id)
        if not desk.is_done(trace_id):
            raise NotCompleteError("Its annotators are not done with it yet.")
        rows = self._reading.of_trace(TraceKey(project, trace_id), desk.queue.scheme)
        standing = (row for row in rows if row.standing.state is not State.ORPHANED)
        if left := undecided((row.standing.step_id, row.said) for row in standing):
            raise NotCompleteError(
                f"Of what annotators differ in, {len(left)} are not decided yet."
            )
        return self._note(desk.queue, trace_id, annotator, Event.ADJUDICATED)

    def _refuse_incomplete(self, key: TraceKey, scheme: Scheme, annotator: str) -> None:
        anchors = self._versions.anchors(key, self._versions.current(key))
        if anchors is None:
            raise NotCompleteError("The trajectory is not stored any more.")
        rows = self._reading.of_trace(key, scheme.name, annotator)
        marks = {row.standing.step_id: row.said.mark for row in rows if row.counts}
        if told := what_is_missing(scheme, marks, anchors.to_judge):
            raise NotCompleteError(told)

    def _note(self, queue: Queue, trace_id: str, annotator: str, event: Event) -> Desk:
        self._queues.add_events(queue, [QueueEvent(trace_id, annotator, self._now_us(), event)])
        return self.desks.of(queue)
