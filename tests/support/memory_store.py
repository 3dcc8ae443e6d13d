"""The store in memory: what the contract means in the plainest code, for tests.

It decodes with the stock opentelemetry-proto classes, so it is also what ClickHouse's rows are
compared with. Everything is lost with the object.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.reference_decoder import DecodedSpan, decode_request

from spanloom.core.errors import NotEmbeddedError
from spanloom.core.model.replay import BEFORE_ALL, StoredTrace
from spanloom.core.model.span import Event
from spanloom.core.ports.building import CallWindow, Head, ModelCall, TrajectoryRecord
from spanloom.core.ports.deletions import Extent
from spanloom.core.ports.progress import FOREVER_S, Progress, TraceChange
from spanloom.core.ports.reading import Cursor, TrajectorySummary
from spanloom.core.ports.spans import Signal, TracePart
from spanloom.core.query.fields import TrajectoryFilter, matches
from spanloom.storage.spans.content_events import ContentEvent, join_events
from spanloom.storage.trajectories.rows import agent_names
from spanloom.storage.trajectories.step_rows import is_bare, placed_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.deletion import Deletion, DeletionScope
    from spanloom.core.model.replay import Replay, Selection
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.spans import SpooledRequest

NS = 1_000_000_000
_FIRST_PARTITION_S = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())
_LAST_PARTITION_S = int(datetime(2039, 12, 31, tzinfo=UTC).timestamp())


class MemoryStore:
    """``Store`` in dictionaries, one lock around everything."""

    def __init__(self) -> None:
        """Start empty; a test may set the clock, in ns."""
        self.clock_ns = time.time_ns
        self._watermark = 0
        self._lock = threading.RLock()
        self._spans: dict[TraceKey, dict[str, DecodedSpan]] = {}
        self._events: dict[TraceKey, list[ContentEvent]] = {}
        self._arrivals: dict[TraceKey, list[TraceChange]] = {}
        self._records: dict[TraceKey, TrajectoryRecord] = {}
        self._progress: dict[TraceKey, Progress] = {}
        self._replays: dict[str, Replay] = {}
        self._deletions: dict[str, Deletion] = {}
        self._deleted: set[TraceKey] = set()

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """See ``SpanWriter.append``; a request that is no OTLP leaves nothing behind."""
        decoded: Sequence[tuple[SpooledRequest, Sequence[DecodedSpan]]] = [
            (request, list(decode_request(request))) for request in requests
        ]
        with self._lock:
            decoded = [(request, self._not_deleted(found)) for request, found in decoded]
            for request, spans in decoded:
                for found in spans:
                    if request.signal is Signal.SPANS:
                        self._keep(found)
                    else:
                        self._keep_event(found)
                for change in _changes(request, spans, self.clock()):
                    self._arrivals.setdefault(change.key, []).append(change)

    def read_spans(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
        """See ``SpanReader.read_spans``."""
        with self._lock:
            known = [key for key in keys if key in self._spans]
            traces = {key: [d.span for d in self._spans[key].values()] for key in known}
            events = (told for key in known for told in self._events.get(key, []))
            join_events(traces, events)
            return traces

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """See ``SpanReader.read_part``."""
        with self._lock:
            spans = [found.span for found in self._spans.get(key, {}).values()]
            newest: dict[tuple[str, str], ContentEvent] = {}
            for told in self._events.get(key, []):
                known = newest.get((told.span_id, told.event_id))
                if known is None or known.row_version <= told.row_version:
                    newest[told.span_id, told.event_id] = told
        events = sorted(newest.values(), key=lambda e: (e.event.time_ns, e.span_id, e.event_id))
        shown = sorted(spans, key=lambda s: (s.parent_span_id != "", s.start_ns, s.span_id))[:limit]
        join_events({key: shown}, events[:limit])
        seqs = [span.row_version for span in spans] + [told.row_version for told in events]
        return TracePart(shown, len(spans), len(events[limit:]), max(seqs, default=0))

    def read_otlp(self, key: TraceKey) -> bytes:
        """See ``SpanReader.read_otlp``; one message part for each span."""
        with self._lock:
            found = sorted(
                self._spans.get(key, {}).values(), key=lambda d: (d.span.start_ns, d.span.span_id)
            )
        return TracesData(resource_spans=[d.message for d in found]).SerializeToString()

    def clock(self) -> int:
        """See ``ChangeReader.clock``."""
        return self.clock_ns() // NS

    def inserted(self, since_s: int, width_s: int = 1) -> Mapping[int, int]:
        """See ``ChangeReader.inserted``."""
        found: defaultdict[int, list[TraceChange]] = defaultdict(list)
        for change in self._changes(since_s // width_s * width_s, FOREVER_S):
            found[change.second // width_s * width_s].append(change)
        return {second: hash(tuple(changes)) for second, changes in found.items()}

    def changes_in(self, seconds: Sequence[int]) -> Sequence[TraceChange]:
        """See ``ChangeReader.changes_in``."""
        return [c for s in sorted(set(seconds)) for c in _by_trace(self._changes(s, s + 1))]

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """See ``SpanReader.arrived``."""
        with self._lock:
            known = [key for key in keys if key in self._arrivals]
            return {key: sum(c.span_count for c in self._arrivals[key]) for key in known}

    def unextracted(self, since_s: int = 0, until_s: int = FOREVER_S) -> Sequence[TraceChange]:
        """See ``ChangeReader.unextracted``."""
        with self._lock:
            changes = _by_trace(self._changes(since_s, until_s))
            return [c for c in changes if self._is_unextracted(c)]

    def unfinished(self) -> Sequence[TraceChange]:
        """See ``ChangeReader.unfinished``."""
        with self._lock:
            return [
                self._known_of(progress)
                for key, progress in sorted(self._progress.items())
                if not progress.is_finished and key in self._arrivals
            ]

    def heads(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Head]:
        """See ``TrajectoryWriter.heads``."""
        with self._lock:
            return {key: _head(self._records[key]) for key in keys if key in self._records}

    def write(self, records: Sequence[TrajectoryRecord]) -> None:
        """See ``TrajectoryWriter.write``."""
        with self._lock:
            for record in records:
                if record.key in self._deleted:
                    continue
                known = self._records.get(record.key)
                if known is None or record.seq >= known.seq:
                    self._records[record.key] = record

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """See ``ProgressWriter.record_progress``."""
        with self._lock:
            for step in progress:
                if step.key in self._deleted:
                    continue
                known = self._progress.get(step.key)
                if known is None or step.seq >= known.seq:
                    self._progress[step.key] = step

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """See ``ChangeReader.read_progress``."""
        with self._lock:
            return {key: self._progress[key] for key in keys if key in self._progress}

    def quarantined(self, limit: int) -> Sequence[Progress]:
        """See ``ChangeReader.quarantined``."""
        with self._lock:
            failed = [p for p in self._progress.values() if p.attempts]
        return sorted(failed, key=lambda p: (-p.attempts, p.key))[:limit]

    def read_watermark(self) -> int:
        """See ``ChangeReader.read_watermark``."""
        return self._watermark

    def record_watermark(self, second: int) -> None:
        """See ``ProgressWriter.record_watermark``."""
        self._watermark = second

    def document(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``TrajectoryReader.document``."""
        record = self._find(trace_id, reach)
        return record.document if record else None

    def spans_document(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``TrajectoryReader.spans_document``."""
        record = self._find(trace_id, reach)
        return record.spans_document if record else None

    def list(
        self, reach: Reach, where: TrajectoryFilter, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.list``."""
        with self._lock:
            lines = [_summary(record) for record in self._records.values()]
        seen = [line for line in lines if reach.covers(line.key.project)]
        matching = [line for line in seen if matches(where, line)]
        matching.sort(key=lambda line: line.cursor, reverse=True)
        behind = [m for m in matching if after is None or m.cursor < after]
        return behind[:limit]

    def conversation(
        self, conversation_id: str, reach: Reach, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """See ``TrajectoryReader.conversation``."""
        where = TrajectoryFilter(conversation_id=conversation_id)
        with self._lock:
            lines = [_summary(record) for record in self._records.values()]
        seen = [line for line in lines if reach.covers(line.key.project)]
        matching = [line for line in seen if conversation_id and matches(where, line)]
        matching.sort(key=lambda line: line.cursor)
        ahead = [m for m in matching if after is None or m.cursor > after]
        return ahead[:limit]

    def find_calls(self, project: str, windows: Sequence[CallWindow]) -> Sequence[ModelCall]:
        """See ``CallFinder.find_calls``."""
        wanted: dict[str, list[CallWindow]] = {}
        for window in windows:
            wanted.setdefault(window.call_key, []).append(window)
        with self._lock:
            own = [r for r in self._records.values() if r.key.project == project]
            calls = [c for r in own for c in _calls(r) if c.call_key in wanted]
        return [call for call in calls if any(map(call.is_within, wanted[call.call_key]))]

    def count_traces(self, selection: Selection) -> int:
        """See ``ReplayRequests.count_traces``."""
        return len(self.traces_after(selection, BEFORE_ALL, sys.maxsize))

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int
    ) -> Sequence[StoredTrace]:
        """See ``ReplayQueue.traces_after``."""
        with self._lock:
            wanted = [r for r in self._records.values() if _is_selected(r, selection)]
        behind = sorted((r for r in wanted if r.key > after), key=lambda r: r.key)
        return [StoredTrace(r.key, r.status, r.trajectory.span_count) for r in behind[:limit]]

    def record_replay(self, replay: Replay) -> None:
        """See ``ReplayRequests.record_replay``."""
        with self._lock:
            known = self._replays.get(replay.id)
            if known is None or replay.step >= known.step:
                self._replays[replay.id] = replay

    def replay(self, replay_id: str, reach: Reach) -> Replay | None:
        """See ``ReplayRequests.replay``."""
        with self._lock:
            found = self._replays.get(replay_id)
        return found if found and reach.includes(found.selection.reach) else None

    def replays(self, reach: Reach, limit: int, after: str | None = None) -> Sequence[Replay]:
        """See ``ReplayRequests.replays``."""
        found = sorted(self._replays_within(reach), key=lambda r: r.id, reverse=True)
        return [r for r in found if after is None or r.id < after][:limit]

    def unfinished_replays(self, reach: Reach) -> Sequence[Replay]:
        """See ``ReplayRequests.unfinished_replays``."""
        found = [r for r in self._replays_within(reach) if not r.is_finished]
        return sorted(found, key=lambda replay: replay.id)

    def _replays_within(self, reach: Reach) -> Sequence[Replay]:
        with self._lock:
            return [r for r in self._replays.values() if reach.includes(r.selection.reach)]

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """See ``DeletionLedger.extent_of``."""
        with self._lock:
            keys = self._in_scope(scope, until_seq)
            return Extent(len(keys), sum(self.arrived(list(keys)).values()))

    def delete(self, deletion: Deletion) -> Deletion:
        """See ``DeletionLedger.delete``."""
        with self._lock:
            traces, spans = self.extent_of(deletion.scope, deletion.until_seq)
            counted = replace(deletion, traces=traces, spans=spans)
            gone = self._in_scope(deletion.scope, deletion.until_seq)
            for held in (self._spans, self._events, self._arrivals, self._records, self._progress):
                for key in gone & held.keys():
                    del held[key]
            self._deleted |= gone
            self._deletions[deletion.id] = counted
            return counted

    def deletions(self, limit: int) -> Sequence[Deletion]:
        """See ``DeletionLedger.deletions``."""
        newest_first = sorted(self._deletions.values(), key=lambda d: d.id, reverse=True)
        return newest_first[:limit]

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """See ``UsageReader.stored_bytes``; a repeat counts once, and so do its bytes."""
        sizes: Counter[str] = Counter()
        with self._lock:
            for key, held in self._spans.items():
                sizes[key.project] += sum(found.message.ByteSize() for found in held.values())
        return dict(sizes.most_common(limit))

    def take_snapshot(self) -> int:
        """See ``SnapshotTaker.take_snapshot``: there are no files to hold."""
        raise NotEmbeddedError("A store in memory has no files.")

    def ping(self) -> None:
        """See ``Store.ping``."""

    def close(self) -> None:
        """See ``Store.close``."""

    def _in_scope(self, scope: DeletionScope, until_seq: int) -> set[TraceKey]:
        spans = {
            key
            for key, held in self._spans.items()
            for found in held.values()
            if scope.conversation_id is None and _covers(scope, until_seq, found)
        }
        records = {r.key for r in self._records.values() if _is_in_scope(r, scope, until_seq)}
        return spans | records

    def _not_deleted(self, spans: Sequence[DecodedSpan]) -> Sequence[DecodedSpan]:
        """Leave out spans of deleted traces, and those that a deletion covers in the spool."""
        scopes = [d for d in self._deletions.values() if d.scope.conversation_id is None]
        return [
            found
            for found in spans
            if found.key not in self._deleted
            and not any(_covers(d.scope, d.until_seq, found) for d in scopes)
        ]

    def _keep(self, found: DecodedSpan) -> None:
        spans = self._spans.setdefault(found.key, {})
        known = spans.get(found.span.span_id)
        if known is None or _rank(known.span) <= _rank(found.span):
            spans[found.span.span_id] = found

    def _keep_event(self, found: DecodedSpan) -> None:
        span = found.span
        event = Event(span.start_ns, span.name, span.attributes)
        place = found.message.scope_spans[0].spans[0].flags
        self._events.setdefault(found.key, []).append(
            ContentEvent(
                found.key, span.parent_span_id, span.span_id, place, event, span.row_version
            )
        )

    def _changes(self, since_s: int, until_s: int) -> Sequence[TraceChange]:
        with self._lock:
            arrived = [c for changes in self._arrivals.values() for c in changes]
        return [c for c in arrived if since_s <= c.second < until_s]

    def _is_unextracted(self, change: TraceChange) -> bool:
        known = self._progress.get(change.key)
        if known is None or not known.is_finished or known.seq < change.max_seq:
            return True
        return 0 < known.arrived < sum(c.span_count for c in self._arrivals[change.key])

    def _known_of(self, progress: Progress) -> TraceChange:
        summed_up = _sum_up(self._arrivals[progress.key])
        accepted_ns = summed_up.last_accepted_ns
        return TraceChange(
            progress.key, progress.seq, accepted_ns, accepted_ns, False, summed_up.span_count
        )

    def _find(self, trace_id: str, reach: Reach) -> TrajectoryRecord | None:
        with self._lock:
            found = [r for key, r in self._records.items() if key.trace_id == trace_id]
        named = [r for r in found if reach.covers(r.key.project)]
        return max(named, key=lambda r: (r.seq, r.key.project), default=None)


def _covers(scope: DeletionScope, until_seq: int, found: DecodedSpan) -> bool:
    span, before_ns = found.span, scope.start_before_ns
    return (
        span.row_version <= until_seq
        and scope.reach.covers(found.key.project)
        and scope.trace_id in (None, found.key.trace_id)
        and (before_ns is None or span.start_ns < before_ns)
    )


def _is_in_scope(record: TrajectoryRecord, scope: DeletionScope, until_seq: int) -> bool:
    before_ns = scope.start_before_ns
    return (
        record.seq <= until_seq
        and scope.reach.covers(record.key.project)
        and scope.trace_id in (None, record.key.trace_id)
        and scope.conversation_id in (None, record.trajectory.conversation_id)
        and (before_ns is None or record.trajectory.root.start_ns < before_ns)
    )


def _rank(span: Span) -> tuple[int, int, int]:
    """Return what makes a span replace another: its version, then the month of its partition."""
    start_s = min(max(span.start_ns // 10**9, _FIRST_PARTITION_S), _LAST_PARTITION_S)
    start = datetime.fromtimestamp(start_s, UTC)
    return span.row_version, start.year, start.month


def _changes(
    request: SpooledRequest, spans: Sequence[DecodedSpan], second: int
) -> Iterator[TraceChange]:
    at = request.accepted_at_ns
    for key in dict.fromkeys(found.key for found in spans):
        own = [found.span for found in spans if found.key == key]
        is_spans = request.signal is Signal.SPANS
        has_root = is_spans and any(not span.parent_span_id for span in own)
        yield TraceChange(key, request.seq, at, at, has_root, len(own), second)


def _by_trace(changes: Iterable[TraceChange]) -> list[TraceChange]:
    found: defaultdict[TraceKey, list[TraceChange]] = defaultdict(list)
    for change in changes:
        found[change.key].append(change)
    return [_sum_up(found[key]) for key in sorted(found)]


def _sum_up(changes: Sequence[TraceChange]) -> TraceChange:
    return TraceChange(
        changes[0].key,
        max(c.max_seq for c in changes),
        min(c.first_accepted_ns for c in changes),
        max(c.last_accepted_ns for c in changes),
        any(c.has_root for c in changes),
        sum(c.span_count for c in changes),
        min(c.second for c in changes),
    )


def _head(record: TrajectoryRecord) -> Head:
    ids = [step.id for _, step in placed_steps(record.trajectory)]
    start_ns = record.trajectory.root.start_ns
    spans = record.trajectory.span_count
    return Head(record.key, record.version, record.seq, record.fingerprint, start_ns, ids, spans)


def _calls(record: TrajectoryRecord) -> Iterator[ModelCall]:
    bare = is_bare(record.trajectory)
    for _, step in placed_steps(record.trajectory):
        if call_key := record.call_keys.get(step.id, ""):
            times = step.start_ns, step.end_ns
            yield ModelCall(record.key, step.id, call_key, *times, bare, step.dialect)


def _is_selected(record: TrajectoryRecord, selection: Selection) -> bool:
    trajectory = record.trajectory
    start_ns, until_ns = trajectory.root.start_ns, selection.start_before_ns
    return (
        selection.reach.covers(record.key.project)
        and start_ns >= (selection.start_from_ns or 0)
        and (until_ns is None or start_ns < until_ns)
        and (selection.dialect is None or selection.dialect in trajectory.dialects)
        and selection.other_than != trajectory.extractor_version
    )


def _summary(record: TrajectoryRecord) -> TrajectorySummary:
    trajectory = record.trajectory
    root, original = trajectory.root, trajectory.duplicate_of
    return TrajectorySummary(
        key=record.key,
        version=record.version,
        status=record.status,
        root_name=root.name,
        root_type=trajectory.root_type.value,
        start_ns=root.start_ns,
        duration_ns=max(root.end_ns - root.start_ns, 0),
        has_error=trajectory.has_error,
        agent_names=agent_names(trajectory),
        step_counts=dict(trajectory.step_counts),
        span_count=trajectory.span_count,
        input_tokens=trajectory.root_metrics.input_tokens,
        output_tokens=trajectory.root_metrics.output_tokens,
        duplicate_of=original.trace_id if original else "",
        dialects=list(trajectory.dialects),
        conversation_id=trajectory.conversation_id,
    )
