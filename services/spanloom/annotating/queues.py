"""Queues over what is stored: what is next for whom, what is done, and how it all stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotating.reading import score_now
from spanloom.core.annotation.queueing import Desk
from spanloom.core.errors import PermanentError
from spanloom.core.model.annotation_queue import Event, Queue, QueueEvent, QueueItem
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.annotating.reading import Reading, Stood
    from spanloom.annotating.schemes import Schemes
    from spanloom.annotating.versions import Versions
    from spanloom.core.annotation.score import Score
    from spanloom.core.ports.annotation_queues import AnnotationQueueStore

MOST_ITEMS = 10_000
"""In one queue."""


class UnknownQueueError(PermanentError):
    """There is no such queue, or the trajectory is not in it (404)."""


class NotCompleteError(PermanentError):
    """An item cannot be done: its scheme requires that every step is judged (409)."""


class Next(NamedTuple):
    """What somebody gets, and how many are left, that one included."""

    trace_id: str | None
    left: int


class Queues:
    """Puts queues, and takes what annotators do with their items."""

    def __init__(
        self,
        store: AnnotationQueueStore,
        schemes: Schemes,
        versions: Versions,
        reading: Reading,
        now_us: Callable[[], int],
    ) -> None:
        """Take the store, how annotations are read, and a clock that never stands still."""
        self._store = store
        self._schemes = schemes
        self._versions = versions
        self._reading = reading
        self._now_us = now_us

    def put(self, queue: Queue, trace_ids: Sequence[str]) -> Desk:
        """Store a queue and put further trajectories behind those in it.

        One that is there keeps its place. Raises ``UnknownSchemeError``, and
        ``UnknownQueueError`` for a trajectory that is not stored.
        """
        self._schemes.find(queue.project, queue.scheme)
        there = {item.trace_id for item in self._store.queue_items(queue)}
        new = [trace_id for trace_id in dict.fromkeys(trace_ids) if trace_id not in there]
        if len(there) + len(new) > MOST_ITEMS:
            raise NotCompleteError(f"A queue holds {MOST_ITEMS:,} trajectories.")
        at_us = self._now_us()
        items = [self._item(queue, trace_id, at_us + n) for n, trace_id in enumerate(new)]
        self._store.put_queue(queue)
        self._store.add_items(queue, items)
        return self._desk(queue)

    def desk(self, project: str, name: str) -> Desk:
        """Return a queue as it stands; raises ``UnknownQueueError``."""
        for queue in self._store.queues(Reach.only(project), name):
            return self._desk(queue)
        raise UnknownQueueError(f"There is no queue {name!r} in project {project!r}.")

    def listed(self, reach: Reach) -> Sequence[Desk]:
        """Return every queue as it stands."""
        return [self._desk(queue) for queue in self._store.queues(reach)]

    def next_for(self, project: str, name: str, annotator: str) -> Next:
        """Return what is next for somebody, and note that they begin it."""
        desk = self.desk(project, name)
        trace_id = desk.next_for(annotator)
        if trace_id is not None:
            self._note(desk.queue, trace_id, annotator, Event.BEGUN)
        mine = [of for of, names in desk.assigned.items() if annotator in names]
        return Next(trace_id, sum(annotator not in desk.done_by(of) for of in mine))

    def done(self, project: str, name: str, trace_id: str, annotator: str) -> Desk:
        """Note that somebody is done with an item; raises ``NotCompleteError``."""
        desk = self._holding(project, name, trace_id)
        scheme = self._schemes.find(project, desk.queue.scheme)
        if scheme.is_required:
            score = self.score(TraceKey(project, trace_id), desk.queue.scheme, annotator)
            if score is None or not score.is_complete:
                raise NotCompleteError(_what_is_missing(score))
        return self._note(desk.queue, trace_id, annotator, Event.DONE)

    def reopen(self, project: str, name: str, trace_id: str, annotator: str) -> Desk:
        """Note that somebody goes on with an item that was done."""
        queue = self._holding(project, name, trace_id).queue
        return self._note(queue, trace_id, annotator, Event.REOPENED)

    def adjudicate(self, project: str, name: str, trace_id: str, annotator: str) -> Desk:
        """Note that somebody who saw what all said has decided; raises ``NotCompleteError``."""
        desk = self._holding(project, name, trace_id)
        if not desk.may_see(trace_id, ""):
            raise NotCompleteError("Its annotators are not done with it yet.")
        return self._note(desk.queue, trace_id, annotator, Event.ADJUDICATED)

    def score(self, key: TraceKey, scheme_name: str, annotator: str) -> Score | None:
        """Return what somebody's marks come to; ``None`` of a trajectory that is not stored."""
        scheme = self._schemes.find(key.project, scheme_name)
        anchors = self._versions.anchors(key, self._versions.current(key))
        if anchors is None:
            return None
        rows: Sequence[Stood] = self._reading.of_trace(key, scheme_name, annotator)
        return score_now(scheme, rows, anchors.to_judge)

    def _item(self, queue: Queue, trace_id: str, place: int) -> QueueItem:
        version = self._versions.current(TraceKey(queue.project, trace_id))
        if not version:
            raise UnknownQueueError(
                f"There is no trajectory {trace_id} in project {queue.project!r}."
            )
        return QueueItem(trace_id, place, version)

    def _holding(self, project: str, name: str, trace_id: str) -> Desk:
        desk = self.desk(project, name)
        if not desk.has(trace_id):
            raise UnknownQueueError(f"Queue {name!r} has no trajectory {trace_id}.")
        return desk

    def _note(self, queue: Queue, trace_id: str, annotator: str, event: Event) -> Desk:
        self._store.add_events(queue, [QueueEvent(trace_id, annotator, self._now_us(), event)])
        return self._desk(queue)

    def _desk(self, queue: Queue) -> Desk:
        return Desk(queue, self._store.queue_items(queue), self._store.queue_events(queue))


def _what_is_missing(score: Score | None) -> str:
    if score is None:
        return "The trajectory is not stored any more."
    return (
        f"{score.unjudged} steps are not judged, and {score.unweighed} wrong ones have no severity."
    )
