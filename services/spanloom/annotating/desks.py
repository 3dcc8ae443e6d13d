"""Queues as they stand: what is stored of them, and runs that came since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.annotating.filling import MOST_ITEMS, UnknownQueueError
from spanloom.core.annotation.queueing import Desk
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.annotating.filling import Filling
    from spanloom.core.model.annotation_queue import Queue, QueueItem
    from spanloom.core.ports.annotation_queues import AnnotationQueueStore

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
