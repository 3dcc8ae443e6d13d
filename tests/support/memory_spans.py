"""In-memory spans: appended, read in full or in part, and as OTLP."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.memory_state import Brought, MemorySubject
from tests.support.reference_decoder import DecodedSpan, decode_request

from spanloom.core.coverage import covers, number_of
from spanloom.core.model.span import Event
from spanloom.core.ports.progress import TraceChange
from spanloom.core.ports.spans import Signal, TracePart, Traces, Unplaced
from spanloom.extractor.span_cap import whole_parts
from spanloom.storage.spans.rows import ContentEvent, as_traces, join_events, unplaced_results

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.ports.spans import Arrived, Ids, SpooledRequest


NS = 1_000_000_000

_FIRST_PARTITION_S = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())

_LAST_PARTITION_S = int(datetime(2039, 12, 31, tzinfo=UTC).timestamp())


class MemorySpans(MemorySubject):
    """Spans and content events in dictionaries."""

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """See ``SpanWriter.append``; a request that is not OTLP is not stored."""
        decoded: Sequence[tuple[SpooledRequest, Sequence[DecodedSpan]]] = [
            (request, list(decode_request(request))) for request in requests
        ]
        with self._state.lock:
            decoded = [(request, self._state.not_deleted(found)) for request, found in decoded]
            for request, spans in decoded:
                for found in spans:
                    if request.signal is Signal.SPANS:
                        self._keep(found)
                    else:
                        self._keep_event(found)
                for change in _changes(request, spans, self._state.clock()):
                    self._state.arrivals.setdefault(change.key, []).append(change)
                    brought = _brought(request, [d.span for d in spans if d.key == change.key])
                    self._state.requests.setdefault(change.key, set()).add(brought)
            self._state.append_count += 1

    def read_ids(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Ids]]:
        """See ``SpanReader.read_ids``."""
        with self._state.lock:
            known = {key: self._state.requests[key] for key in keys if key in self._state.requests}
            return {key: [own.ids for own in brought] for key, brought in known.items()}

    def whole_builds(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """See ``SpanReader.whole_builds``."""
        with self._state.lock:
            known = (self._state.progress[key] for key in keys if key in self._state.progress)
            return {progress.key: progress.digest for progress in known if progress.is_whole}

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        """See ``SpanReader.read_spans``."""
        with self._state.lock:
            known = [key for key in keys if key in self._state.spans]
            traces = as_traces(
                {key: {i: d.span for i, d in self._state.spans[key].items()} for key in known}
            )
            events = (told for key in keys for told in self._state.events.get(key, []))
            join_events(traces, events)
            return traces

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """See ``SpanReader.read_part``."""
        with self._state.lock:
            arrived = self.arrived([key])
            compared = whole_parts(self.read_spans([key]), [key], arrived, sys.maxsize)
            whole = compared.parts[key]
            is_whole = whole.is_whole or covers(compared.unsure[key], self.read_ids([key])[key])
            spans = [found.span for found in self._state.spans.get(key, {}).values()]
            newest: dict[tuple[str, str], ContentEvent] = {}
            for told in self._state.events.get(key, []):
                known = newest.get((told.span_id, told.event_id))
                if known is None or known.row_version <= told.row_version:
                    newest[told.span_id, told.event_id] = told
        events = sorted(newest.values(), key=lambda e: (e.event.time_ns, e.span_id, e.event_id))
        shown = sorted(spans, key=lambda s: (s.parent_span_id != "", s.start_ns, s.span_id))[:limit]
        read = Traces({key: shown} if shown else {})
        join_events(read, events[:limit], is_whole=len(spans) <= limit)
        shown = read.get(key, [])
        seqs = [span.row_version for span in spans] + [told.row_version for told in events]
        return TracePart(
            *(shown, max(len(spans), len(shown)), len(events[limit:]), max(seqs, default=0)),
            *(whole.read, is_whole),
            unplaced=read.unplaced.get(key, ()),
        )

    def read_unplaced(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Unplaced]]:
        """See ``SpanReader.read_unplaced``."""
        with self._state.lock:
            held = self._state.events
            return unplaced_results(told for key in keys for told in held.get(key, []))

    def find_home(self, trace_id: str, reach: Reach) -> TraceKey | None:
        """See ``SentSpans.find_home``."""
        record = self._state.find(trace_id, reach)
        return record.key if record else None

    def read_otlp(
        self, key: TraceKey, span_id: str = "", after: str = "", limit: int = 2**31
    ) -> bytes:
        """See ``SentSpans.read_otlp``; one message part for each span."""
        with self._state.lock:
            if span_id and span_id not in self._state.spans.get(key, {}):
                key = self._part_with(key, span_id)
            held = [d for i, d in sorted(self._state.spans.get(key, {}).items()) if i > after]
            wanted = [d for d in held if span_id in ("", d.span.span_id)][:limit]
            found = sorted(wanted, key=lambda d: (d.span.start_ns, d.span.span_id))
        return TracesData(resource_spans=[d.message for d in found]).SerializeToString()

    def _part_with(self, home: TraceKey, span_id: str) -> TraceKey:
        """Return the part of a run that has the span, or ``home`` if there is none."""
        parts = self.parts_shown(home)
        return next((p for p in parts if span_id in self._state.spans.get(p, {})), home)

    def parts_shown(self, key: TraceKey) -> Sequence[TraceKey]:
        """See ``SentSpans.parts_shown``."""
        with self._state.lock:
            return [
                record.key
                for _, record in sorted(self._state.records.items())
                for call in record.calls
                if record.key.project == key.project
                and record.key != key
                and call.call_key.startswith("part of ")
                and call.step_id == key.trace_id
            ]

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """See ``SpanReader.arrived``."""
        return self._state.arrived(keys)

    def _keep(self, found: DecodedSpan) -> None:
        spans = self._state.spans.setdefault(found.key, {})
        known = spans.get(found.span.span_id)
        if known is None or _rank(known.span) <= _rank(found.span):
            spans[found.span.span_id] = found

    def _keep_event(self, found: DecodedSpan) -> None:
        span = found.span
        event = Event(span.start_ns, span.name, span.attributes)
        place = found.message.scope_spans[0].spans[0].flags
        self._state.events.setdefault(found.key, []).append(
            ContentEvent(
                found.key, span.parent_span_id, span.span_id, place, event, span.row_version
            )
        )


class MemoryUsage(MemorySubject):
    """The amount of stored data."""

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        """See ``UsageReader.stored_bytes``; the bytes of a repeated request count once."""
        sizes: Counter[str] = Counter()
        with self._state.lock:
            for key, held in self._state.spans.items():
                sizes[key.project] += sum(found.message.ByteSize() for found in held.values())
        return dict(sizes.most_common(limit))


def _rank(span: Span) -> tuple[bool, int, int, int]:
    """Return the rank of a span: finished, version, month of the partition.

    The highest is current.
    """
    start_s = min(max(span.start_ns // 10**9, _FIRST_PARTITION_S), _LAST_PARTITION_S)
    start = datetime.fromtimestamp(start_s, UTC)
    return span.is_finished, span.row_version, start.year, start.month


def _changes(
    request: SpooledRequest, spans: Sequence[DecodedSpan], second: int
) -> Iterator[TraceChange]:
    at = request.accepted_at_ns
    for key in dict.fromkeys(found.key for found in spans):
        own = [found.span for found in spans if found.key == key]
        is_spans = request.signal is Signal.SPANS
        has_root = is_spans and any(not span.parent_span_id for span in own)
        brought = frozenset({(request.seq, len(own))})
        yield TraceChange(key, at, at, has_root, len(own), second, brought)


def _brought(request: SpooledRequest, spans: Sequence[Span]) -> Brought:
    if request.signal is not Signal.SPANS:
        ids = {number_of(span.parent_span_id) ^ number_of(span.span_id) for span in spans}
        return Brought(request.seq, is_events=True, finished=frozenset(ids), spans=len(spans))
    finished, opened = (
        frozenset(number_of(span.span_id) for span in spans if span.is_finished is wanted)
        for wanted in (True, False)
    )
    return Brought(request.seq, finished=finished, opened=opened, spans=len(spans))
