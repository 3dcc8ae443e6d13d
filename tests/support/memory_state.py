"""What all subjects of the store in memory share: the dictionaries and the lock."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.reference_decoder import DecodedSpan

    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue, QueueEvent, QueueItem
    from spanloom.core.model.deletion import Deletion, DeletionScope
    from spanloom.core.model.replay import Replay
    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.annotations import KeptVersion, ScorePlace, StoredScheme
    from spanloom.core.ports.building import TrajectoryRecord
    from spanloom.core.ports.feed import Announcement
    from spanloom.core.ports.progress import Progress, TraceChange
    from spanloom.storage.spans.content_events import ContentEvent


NS = 1_000_000_000


class MemoryState:
    """What the store in memory holds, under one lock."""

    def __init__(self) -> None:
        """Start empty; a test may set the clock, in ns."""
        self.clock_ns = time.time_ns
        self._watermark = self._appended = 0
        self._lock = threading.RLock()
        self._spans: dict[TraceKey, dict[str, DecodedSpan]] = {}
        self._events: dict[TraceKey, list[ContentEvent]] = {}
        self._arrivals: dict[TraceKey, list[TraceChange]] = {}
        self._records: dict[TraceKey, TrajectoryRecord] = {}
        self._announced: list[Announcement] = []
        self._stored_s: dict[TraceKey, int] = {}
        self._progress: dict[TraceKey, Progress] = {}
        self._replays: dict[str, Replay] = {}
        self._writes = 0
        self._deletions: dict[str, Deletion] = {}
        self._deleted: set[TraceKey] = set()
        self._annotations: list[Annotation] = []
        self._schemes: dict[tuple[str, str, str], StoredScheme] = {}
        self._kept: dict[tuple[TraceKey, int], KeptVersion] = {}
        self._scores: dict[ScorePlace, Score] = {}
        self._queues: dict[tuple[str, str], Queue] = {}
        self._queue_items: dict[tuple[str, str], dict[str, QueueItem]] = {}
        self._queue_events: dict[tuple[str, str], set[QueueEvent]] = {}

    def clock(self) -> int:
        """See ``ChangeReader.clock``."""
        return self.clock_ns() // NS

    def appends(self) -> int | None:
        """See ``ChangeReader.appends``."""
        return self._appended

    def writes(self) -> int | None:
        """See ``TextIndexer.writes``."""
        return self._writes

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """See ``SpanReader.arrived``."""
        with self._lock:
            known = [key for key in keys if key in self._arrivals]
            return {key: sum(c.span_count for c in self._arrivals[key]) for key in known}

    def _not_deleted(self, spans: Sequence[DecodedSpan]) -> Sequence[DecodedSpan]:
        """Leave out spans of deleted traces, and those that a deletion covers in the spool."""
        scopes = [d for d in self._deletions.values() if d.scope.conversation_id is None]
        return [
            found
            for found in spans
            if found.key not in self._deleted
            and not any(covers_span(d.scope, d.until_seq, found) for d in scopes)
        ]

    def _remove(self, gone: set[TraceKey]) -> None:
        for held in (self._spans, self._events, self._arrivals, self._records, self._progress):
            for key in gone & held.keys():
                del held[key]
        self._announced = [a for a in self._announced if a.key not in gone]
        self._deleted |= gone

    def _is_late(self, record: TrajectoryRecord) -> bool:
        """Return whether it is of a conversation that was deleted before it was built."""
        scopes = [(d.scope, d.until_seq) for d in self._deletions.values()]
        return any(
            scope.conversation_id is not None and covers_record(record, scope, until_seq)
            for scope, until_seq in scopes
        )

    def _find(self, trace_id: str, reach: Reach) -> TrajectoryRecord | None:
        with self._lock:
            found = [r for key, r in self._records.items() if key.trace_id == trace_id]
        named = [r for r in found if reach.covers(r.key.project)]
        return max(named, key=lambda r: (r.seq, r.key.project), default=None)


def covers_span(scope: DeletionScope, until_seq: int, found: DecodedSpan) -> bool:
    span, before_ns = found.span, scope.start_before_ns
    return (
        span.row_version <= until_seq
        and scope.reach.covers(found.key.project)
        and scope.trace_id in (None, found.key.trace_id)
        and (before_ns is None or span.start_ns < before_ns)
    )


def covers_record(record: TrajectoryRecord, scope: DeletionScope, until_seq: int) -> bool:
    before_ns = scope.start_before_ns
    return (
        record.seq <= until_seq
        and scope.reach.covers(record.key.project)
        and scope.trace_id in (None, record.key.trace_id)
        and scope.conversation_id in (None, record.trajectory.conversation_id)
        and (before_ns is None or record.trajectory.root.start_ns < before_ns)
    )
