"""Queues of trajectories to annotate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.annotation_queue import Alike, Queue, QueueEvent, QueueItem
    from spanloom.core.model.tenancy import Reach


class QueueReader(Protocol):
    """Reads queues, their items and what happened with these."""

    def list(self, reach: Reach, name: str = "") -> Sequence[Queue]:
        """Return queues as last put, all or those of one name, by project and name."""

    def items(self, queue: Queue) -> Sequence[QueueItem]:
        """Return what is in a queue, in the order of places."""

    def events(self, queue: Queue, trace_id: str | None = None) -> Sequence[QueueEvent]:
        """Return what happened with all items or with one, oldest first."""

    def alike(self, queue: Queue) -> Mapping[str, Alike]:
        """Return how alike people judge the items, by trace; without those nobody shares.

        Of steps their correctness is compared, of whole runs the decisive step and who is
        responsible. Steps are told apart by their ids, whatever version they were judged on; what
        adjudicators, models and rules say does not enter.
        """


class AnnotationQueueStore(QueueReader, Protocol):
    """Keeps queues, what is in them and what happened: rows are added, never changed."""

    def put(self, queue: Queue) -> None:
        """Store a queue; from now on it is what the name means. Durable when this returns."""

    def add_items(self, queue: Queue, items: Sequence[QueueItem]) -> None:
        """Put trajectories into a queue; one that is there keeps its place."""

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """Store what happened; durable when this returns."""
