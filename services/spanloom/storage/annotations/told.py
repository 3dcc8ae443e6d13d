"""Annotations, scores and queues whose changes stand in the change feed.

Readers meet a row of the feed behind what it tells of. On a server it is written behind it, too:
whoever was not told for a crash in between got no answer to the write either, and sends it again.
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
    from contextlib import AbstractContextManager

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue, QueueEvent
    from spanloom.core.model.score import Score


class ToldAnnotations(
    ClickHouseAnnotations, ClickHouseScores, ClickHouseAnnotationQueues, ClickHouseFeed
):
    """All of them; each write tells of the trajectories that it is about."""

    def add_annotations(self, rows: Sequence[Annotation], *, is_told: bool = True) -> None:
        """See ``AnnotationStore.add_annotations``."""
        with self.telling(row.slot.key for row in rows if is_told):
            super().add_annotations(rows)

    def add_scores(self, scores: Sequence[Score], *, is_told: bool = True) -> None:
        """See ``ScoreStore.add_scores``."""
        with self.telling(score.key for score in scores if is_told):
            super().add_scores(scores)

    def put_queue(self, queue: Queue) -> None:
        """See ``AnnotationQueueStore.put_queue``: what was withheld may be seen from now on."""
        items = self.queue_items(queue)
        with self.telling(TraceKey(queue.project, item.trace_id) for item in items):
            super().put_queue(queue)

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """See ``AnnotationQueueStore.add_events``: who is done sees what others say."""
        with self.telling(TraceKey(queue.project, event.trace_id) for event in events):
            super().add_events(queue, events)

    def telling(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.telling``."""
        return self.announcing(
            [Announcement.of_said(key) for key in dict.fromkeys(keys) if key.trace_id]
        )
