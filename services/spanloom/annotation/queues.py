"""Creates annotation queues, hands out their items, and records what annotators do with items."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.filling import MOST_ITEMS, Filling, Gold, UnknownQueueError
from spanloom.core.annotation.agreement import undecided
from spanloom.core.annotation.anchors import State
from spanloom.core.annotation.marks import what_is_missing
from spanloom.core.annotation.queue import QueueView
from spanloom.core.errors import ConflictError
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation_queue import Event, Queue, QueueEvent
from spanloom.core.model.span import TraceKey

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
"""Minimum seconds between searches of a living queue for new runs."""


class QueueViews:
    """Reads queues; reading a living queue also adds the new runs that match its ``where``."""

    def __init__(
        self, queues: AnnotationQueueStore, filling: Filling, now_us: Callable[[], int]
    ) -> None:
        """Read stored queues; ``filling`` finds new runs for living queues.

        ``now_us`` is a strictly increasing clock in microseconds.
        """
        self._queues = queues
        self._filling = filling
        self._now_us = now_us
        self._looked_us: dict[tuple[str, str], int] = {}

    def of(self, queue: Queue) -> QueueView:
        """Return a queue with its current items and events."""
        items, now_us = self._items(queue), self._now_us()
        return QueueView(
            queue, items, self._queues.events(queue), self._queues.alike(queue), now_us
        )

    def named(self, project: str, name: str) -> QueueView:
        """Return the queue with this name; raises ``UnknownQueueError``."""
        for queue in self._queues.list(Reach.only(project), name):
            return self.of(queue)
        raise UnknownQueueError(f"There is no queue {name!r} in project {project!r}.")

    def holding(self, project: str, name: str, trace_id: str) -> QueueView:
        """Return the queue if it contains the trajectory; raises ``UnknownQueueError``."""
        view = self.named(project, name)
        if not view.has(trace_id):
            raise UnknownQueueError(f"Queue {name!r} has no trajectory {trace_id}.")
        return view

    def listed(self, reach: Reach) -> Sequence[QueueView]:
        """Return all queues in the projects of ``reach``."""
        return [self.of(queue) for queue in self._queues.list(reach)]

    def _items(self, queue: Queue) -> Sequence[QueueItem]:
        items = self._queues.items(queue)
        if not queue.is_living or not self._is_due(queue):
            return items
        present = {item.trace_id for item in items}
        new = self._filling.matching(queue, queue.where, present, MOST_ITEMS - len(present))
        self._queues.add_items(queue, new)
        return [*items, *new]

    def _is_due(self, queue: Queue) -> bool:
        """Return whether to search for new runs now; if so, record the time of the search."""
        place, now_us = (queue.project, queue.name), self._now_us()
        if now_us - self._looked_us.get(place, 0) < LIVING_S * 1e6:
            return False
        self._looked_us[place] = now_us
        return True


class NotCompleteError(ConflictError):
    """An item cannot be completed: something is missing (409)."""


class Next(NamedTuple):
    """An annotator's next item, and the number of items left, including it."""

    trace_id: str | None
    left: int


class Queues:
    """Stores queues, hands out items, and records events."""

    def __init__(
        self,
        store: ReadingStore,
        schemes: Schemes,
        versions: Versions,
        reading: Reading,
        now_us: Callable[[], int],
    ) -> None:
        """Use a store; ``now_us`` is a strictly increasing clock in microseconds."""
        self._queues = store.queues
        self._schemes = schemes
        self._versions = versions
        self._reading = reading
        self._now_us = now_us
        self._filling = Filling(store.runs, now_us)
        self.views = QueueViews(store.queues, self._filling, now_us)
        self._handing_out = Lock()
        self.gold = Gold(store.annotations)

    def put(
        self, queue: Queue, trace_ids: Sequence[str], gold: Sequence[str] = (), where: str = ""
    ) -> QueueView:
        """Store a queue, and append trajectories; items already in the queue keep their positions.

        The matches of ``where`` are appended too. Raises ``UnknownSchemeError``,
        ``UnknownQueueError`` for a trajectory that is not stored, and ``NotCompleteError`` if a
        gold trajectory has no adjudication or the queue would get too large.
        """
        self._schemes.find(queue.project, queue.scheme)
        for trace_id in gold:
            if not self.gold.is_adjudicated(queue, trace_id):
                raise NotCompleteError(
                    f"Nobody has adjudicated {trace_id}: nothing of it is known."
                )
        current = self._queues.items(queue)
        present, golden = {i.trace_id for i in current}, {i.trace_id for i in current if i.is_gold}
        new = [trace_id for trace_id in trace_ids if trace_id not in present]
        items = list(self._filling.named(queue, new, [g for g in gold if g not in golden]))
        present |= {item.trace_id for item in items}
        if where:
            items += self._filling.matching(queue, where, present, MOST_ITEMS + 1 - len(present))
            present |= {item.trace_id for item in items}
        if len(present) > MOST_ITEMS:
            raise NotCompleteError(f"A queue holds {MOST_ITEMS:,} trajectories.")
        queue = replace(queue, has_gold=bool(gold or golden))
        self._queues.put(queue)
        self._queues.add_items(queue, items)
        return self.views.of(queue)

    def next_for(self, project: str, name: str, annotator: str) -> Next:
        """Return the next item for an annotator, and record that the annotator has begun it."""
        with self._handing_out:  # within a process no item goes to two annotators at once
            view = self.views.named(project, name)
            trace_id = view.next_for(annotator)
            if trace_id is not None:
                self._note(view.queue, trace_id, annotator, Event.BEGUN)
        mine = view.mine(annotator)
        return Next(trace_id, sum(annotator not in view.done_by(of) for of in mine))

    def begin(self, project: str, name: str, trace_id: str, annotator: str) -> QueueView:
        """Record that an annotator has begun an item.

        Records nothing if the annotator has begun it before, or may not work on it.
        """
        with self._handing_out:
            view = self.views.holding(project, name, trace_id)
            if not view.begins(trace_id, annotator):
                return view
            return self._note(view.queue, trace_id, annotator, Event.BEGUN)

    def done(self, project: str, name: str, trace_id: str, annotator: str) -> QueueView:
        """Record that an annotator has finished an item; raises ``NotCompleteError``."""
        view = self.views.holding(project, name, trace_id)
        scheme = self._schemes.find(project, view.queue.scheme)
        if scheme.is_required or scheme.needs_reason:
            self._refuse_incomplete(TraceKey(project, trace_id), scheme, annotator)
        return self._note(view.queue, trace_id, annotator, Event.DONE)

    def reopen(self, project: str, name: str, trace_id: str, annotator: str) -> QueueView:
        """Record that an annotator has reopened a finished item."""
        queue = self.views.holding(project, name, trace_id).queue
        return self._note(queue, trace_id, annotator, Event.REOPENED)

    def adjudicate(self, project: str, name: str, trace_id: str, annotator: str) -> QueueView:
        """Record that an item is adjudicated; raises ``NotCompleteError``."""
        view = self.views.holding(project, name, trace_id)
        if not view.is_done(trace_id):
            raise NotCompleteError("Its annotators are not done with it yet.")
        rows = self._reading.of_trace(TraceKey(project, trace_id), view.queue.scheme)
        placed = (row for row in rows if row.standing.state is not State.ORPHANED)
        if left := undecided((row.standing.step_id, row.annotation) for row in placed):
            raise NotCompleteError(
                f"Of what annotators differ in, {len(left)} are not decided yet."
            )
        return self._note(view.queue, trace_id, annotator, Event.ADJUDICATED)

    def _refuse_incomplete(self, key: TraceKey, scheme: Scheme, annotator: str) -> None:
        anchors = self._versions.anchors(key, self._versions.current(key))
        if anchors is None:
            raise NotCompleteError("The trajectory is no longer stored.")
        rows = self._reading.of_trace(key, scheme.name, annotator)
        marks = {row.standing.step_id: row.annotation.mark for row in rows if row.counts}
        if missing := what_is_missing(scheme, marks, anchors.to_judge):
            raise NotCompleteError(missing)

    def _note(self, queue: Queue, trace_id: str, annotator: str, event: Event) -> QueueView:
        self._queues.add_events(queue, [QueueEvent(trace_id, annotator, self._now_us(), event)])
        return self.views.of(queue)
