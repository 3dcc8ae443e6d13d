"""State shared by all subjects of the in-memory store: its dictionaries and lock."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.progress import TraceChange
from spanloom.core.ports.spans import Arrived, Ids, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tests.support.reference_decoder import DecodedSpan

    from spanloom.core.model.access import Reach
    from spanloom.core.model.alert import Alert, AlertEvent, Delivery, RunEvidence
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.annotation_queue import Queue, QueueEvent, QueueItem
    from spanloom.core.model.dataset import Dataset, DatasetVersion, DraftItem, ItemPlace
    from spanloom.core.model.experiment import Experiment, ExperimentEnd, StoredEvaluator
    from spanloom.core.model.online_rule import OnlineRule, RuleId, Walk, WalkPlace, Work
    from spanloom.core.model.saved_view import SavedView
    from spanloom.core.model.score import Score
    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.upkeep import Deletion, DeletionScope, Replay
    from spanloom.core.ports.annotations import KeptVersion, ScorePlace, StoredScheme
    from spanloom.core.ports.progress import Progress
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.query.positions import Position
    from spanloom.storage.spans.rows import ContentEvent


NS = 1_000_000_000


class Brought(NamedTuple):
    """The contribution of one request to a trace; equal if the request is stored twice."""

    seq: int
    is_events: bool = False
    finished: frozenset[int] = frozenset()
    opened: frozenset[int] = frozenset()
    spans: int = 0

    @property
    def request(self) -> Request:
        items = len(self.finished) + len(self.opened)
        return Request(self.seq, self.is_events, items, self.spans)

    @property
    def ids(self) -> Ids:
        return Ids(self.seq, self.is_events, sorted(self.finished), sorted(self.opened))


def _arrived(brought: set[Brought]) -> Arrived:
    requests = [own.request for own in sorted(brought, key=repr)]
    return Arrived(requests, sum(r.spans for r in requests), hash(frozenset(brought)) % 2**64)


class MemoryState:
    """The data of the in-memory store, under one lock."""

    def __init__(self) -> None:
        """Start empty; a test may set the clock, in ns."""
        self.clock_ns = time.time_ns
        self.watermark = self.append_count = self.revisits = 0
        self.slice_watermarks: dict[int, int] = {}
        self.lock = threading.RLock()
        self.spans: dict[TraceKey, dict[str, DecodedSpan]] = {}
        self.events: dict[TraceKey, list[ContentEvent]] = {}
        self.arrivals: dict[TraceKey, list[TraceChange]] = {}
        self.requests: dict[TraceKey, set[Brought]] = {}
        self.records: dict[TraceKey, TrajectoryRecord] = {}
        self.announced: list[Announcement] = []
        self.stored_s: dict[TraceKey, int] = {}
        self.progress: dict[TraceKey, Progress] = {}
        self.replays: dict[str, Replay] = {}
        self.replay_parts: dict[tuple[str, int], Replay] = {}
        self.write_count = 0
        self.deletions: dict[str, Deletion] = {}
        self.deleted: set[TraceKey] = set()
        self.annotations: list[Annotation] = []
        self.schemes: dict[tuple[str, str, str], StoredScheme] = {}
        self.kept: dict[tuple[TraceKey, int], KeptVersion] = {}
        self.scores: dict[ScorePlace, Score] = {}
        self.queues: dict[tuple[str, str], Queue] = {}
        self.saved_views: list[SavedView] = []
        self.view_defaults: dict[tuple[str, str], tuple[int, str]] = {}
        self.datasets: dict[tuple[str, str], Dataset] = {}
        self.dataset_contents: dict[tuple[str, str], dict[str, bytes]] = {}
        self.dataset_drafts: dict[tuple[str, str], dict[str, DraftItem]] = {}
        self.dataset_versions: dict[tuple[str, str], dict[int, DatasetVersion]] = {}
        self.dataset_items: dict[tuple[str, str, str], list[ItemPlace]] = {}
        self.evaluators: dict[tuple[str, str, int], StoredEvaluator] = {}
        self.experiments: dict[tuple[str, str], Experiment] = {}
        self.experiment_runs: dict[tuple[str, str], list[str]] = {}
        self.experiment_ends: dict[tuple[str, str], ExperimentEnd] = {}
        self.alerts: dict[tuple[str, str, int], Alert] = {}
        self.alert_events: dict[tuple[str, str, int], AlertEvent] = {}
        self.alert_shown: dict[tuple[str, str, int], RunEvidence] = {}
        self.alert_deliveries: dict[tuple[str, str, int, str], Delivery] = {}
        self.online_rules: dict[RuleId, OnlineRule] = {}
        self.online_work: dict[tuple[TraceKey, str, int, int], Work] = {}
        self.online_walks: dict[tuple[str, str, Walk], WalkPlace] = {}
        self.follower_places: dict[str, Position] = {}
        self.queue_items: dict[tuple[str, str], dict[str, QueueItem]] = {}
        self.queue_events: dict[tuple[str, str], set[QueueEvent]] = {}
        self.indexed: set[tuple[TraceKey, int, int]] = set()
        self.text_watermark = 0
        self.text_marks: dict[int, int] = {}

    def clock(self) -> int:
        """Return the time in seconds since the epoch."""
        return self.clock_ns() // NS

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """See ``SpanReader.arrived``."""
        with self.lock:
            known = {key: set(self.requests[key]) for key in keys if key in self.requests}
        return {key: _arrived(own) for key, own in known.items()}

    def revisit(self, keys: Iterable[TraceKey]) -> None:
        """Make traces due again: each gets a request and a change, without spans."""
        with self.lock:
            for key in keys:
                self.revisits += 1
                seq, at_ns = self.revisits, self.clock_ns()
                change = TraceChange(key, at_ns, at_ns, has_root=True, second=self.clock())
                change = replace(change, requests=frozenset({(seq, 0)}))
                self.arrivals.setdefault(key, []).append(change)
                self.requests.setdefault(key, set()).add(Brought(seq))
            self.append_count += 1

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce``."""
        with self.lock:
            at_us = max(self.clock_ns() // 1000, self.newest_us + 1)
            stamped = [a._replace(changed_us=at_us) for a in announcements]
            self.announced += [a for a in stamped if a.key not in self.deleted]

    @contextmanager
    def announcing_judgements(self, keys: Iterable[TraceKey]) -> Iterator[None]:
        """See ``AnnotationStore.announcing_judgements``."""
        try:
            yield
        finally:
            named = [key for key in dict.fromkeys(keys) if key.trace_id]
            self.announce([Announcement.of_judgement(key) for key in named])

    @property
    def newest_us(self) -> int:
        return self.announced[-1].changed_us if self.announced else 1

    def living_annotations(self) -> Sequence[Annotation]:
        with self.lock:
            return [row for row in self.annotations if row.slot.key not in self.deleted]

    def not_deleted(self, spans: Sequence[DecodedSpan]) -> Sequence[DecodedSpan]:
        """Return the spans that neither a deleted trace nor a pending deletion covers."""
        scopes = [d for d in self.deletions.values() if d.scope.conversation_id is None]
        return [
            found
            for found in spans
            if found.key not in self.deleted
            and not any(covers_span(d.scope, d.until_seq, found) for d in scopes)
        ]

    def remove(self, gone: set[TraceKey]) -> None:
        traces = (self.spans, self.events, self.arrivals, self.requests)
        for held in (*traces, self.records, self.progress):
            for key in gone & held.keys():
                del held[key]
        self.announced = [a for a in self.announced if a.key not in gone]
        self.deleted |= gone

    def is_late(self, record: TrajectoryRecord) -> bool:
        """Return whether the conversation of a record was deleted before the record was built."""
        scopes = [(d.scope, d.until_seq) for d in self.deletions.values()]
        return any(
            scope.conversation_id is not None and covers_record(record, scope, until_seq)
            for scope, until_seq in scopes
        )

    def find(self, trace_id: str, reach: Reach) -> TrajectoryRecord | None:
        with self.lock:
            found = [r for key, r in self.records.items() if key.trace_id == trace_id]
        named = [r for r in found if reach.covers(r.key.project)]
        return max(named, key=lambda r: (r.build.rank, r.key.project), default=None)


class MemorySubject:
    """A subject of the in-memory store, over the shared state."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    @property
    def state(self) -> MemoryState:
        return self._state


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
        and (before_ns is None or record.start_ns < before_ns)
    )
