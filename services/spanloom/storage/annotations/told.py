"""Annotations, scores and queues whose changes stand in the change feed.

A row of the feed is written behind what it tells of. Whoever was not told for a crash in between
got no answer to the write either, and sends it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.feed import Announcement
from spanloom.storage.annotations.queues import ClickHouseAnnotationQueues
from spanloom.storage.annotations.scores import ClickHouseScores
from spanloom.storage.annotations.store import ClickHouseAnnotations
from spanloom.storage.feed.store import ClickHouseFeed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue, QueueEvent
    from spanloom.core.model.score import Score


class ToldAnnotations(
    ClickHouseAnnotations, ClickHouseScores, ClickHouseAnnotationQueues, ClickHouseFeed
):
    """All of them; each write tells of the trajectories that it is about."""

    def add_annotations(self, rows: Sequence[Annotation]) -> None:
        """See ``AnnotationStore.add_annotations``."""
        super().add_annotations(rows)
        self._tell(row.slot.key for row in rows)

    def add_scores(self, scores: Sequence[Score]) -> None:
        """See ``ScoreStore.add_scores``."""
        super().add_scores(scores)
        self._tell(score.key for score in scores)

    def put_queue(self, queue: Queue) -> None:
        """See ``AnnotationQueueStore.put_queue``: what was withheld may be seen from now on."""
        super().put_queue(queue)
        items = self.queue_items(queue)
        self._tell(TraceKey(queue.project, item.trace_id) for item in items)

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """See ``AnnotationQueueStore.add_events``: who is done sees what others say."""
        super().add_events(queue, events)
        self._tell(TraceKey(queue.project, event.trace_id) for event in events)

    def _tell(self, keys: Iterable[TraceKey]) -> None:
        self.announce([Announcement.of_said(key) for key in dict.fromkeys(keys) if key.trace_id])
