"""The span half of the ClickHouse store: requests in, spans and changes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import StoreRejectedError
from spanloom.core.model.span import Event, Link, Span, TraceKey
from spanloom.core.ports import SpooledRequest, TraceChange
from spanloom.storage.otlp import StoredSpan, encode_traces
from spanloom.storage.records import canonical_request, frame_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.storage.lane import Lane, Row

KEYS_PER_QUERY = 2_000
SPANS_PER_QUERY = 20_000
HEX_DIGITS = "0123456789abcdef"


class ClickHouseSpans:
    """``SpanStore`` over three lanes: appending, extracting, and reading for users."""

    def __init__(self, writer: Lane, worker: Lane, reader: Lane) -> None:
        """Take the lanes; whoever opened them closes them."""
        self._writer = writer
        self._worker = worker
        self._reader = reader

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """See ``SpanStore.append``."""
        if not requests:
            return
        try:
            self._writer.insert_requests(frame_records(requests))
        except StoreRejectedError:
            # Valid protobuf that ClickHouse does not read: a field set twice, an overlong number.
            self._writer.insert_requests(frame_records(map(canonical_request, requests)))

    def read_spans(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
        """See ``SpanStore.read_spans``."""
        found: dict[TraceKey, list[Span]] = {}
        for some in batched(keys):
            for start in self._span_id_starts(some):
                rows = self._worker.rows("read_spans", keys=some, span_id_start=start)
                for key, spans in newest_spans(rows).items():
                    found.setdefault(key, []).extend(spans)
        return found

    def _span_id_starts(self, keys: Sequence[tuple[str, str]]) -> Sequence[str]:
        """Cut a long trace, which comes alone, into the spans of each first digit.

        The answer to one query is in memory several times over, in the engine and here.
        """
        if len(keys) == 1:
            ((count,),) = self._worker.rows("count_spans", keys=keys)
            if count > SPANS_PER_QUERY:
                return HEX_DIGITS
        return ("",)

    def read_otlp(self, key: TraceKey) -> bytes:
        """See ``SpanStore.read_otlp``."""
        rows = self._reader.rows("read_otlp", project=key.project, trace_id=key.trace_id)
        return encode_traces(StoredSpan(*row) for row in rows)

    def changes_since(self, seq: int) -> Sequence[TraceChange]:
        """See ``SpanStore.changes_since``."""
        return [change_of(row) for row in self._worker.rows("changes_since", seq=seq)]

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """See ``SpanStore.arrived``."""
        return {
            TraceKey(project, trace_id): count
            for some in batched(keys)
            for project, trace_id, count in self._worker.rows("arrived", keys=some)
        }

    def unextracted(self) -> Sequence[TraceChange]:
        """See ``SpanStore.unextracted``."""
        return [change_of(row) for row in self._worker.rows("unextracted")]


def batched(keys: Sequence[TraceKey]) -> Iterable[list[tuple[str, str]]]:
    """Cut keys into lists that fit into one query's parameters."""
    unique = [(key.project, key.trace_id) for key in dict.fromkeys(keys)]
    return (unique[i : i + KEYS_PER_QUERY] for i in range(0, len(unique), KEYS_PER_QUERY))


def newest_spans(rows: Iterable[Row]) -> dict[TraceKey, list[Span]]:
    """Keep the newest version of each span; of equal versions that which starts last.

    Equal versions come from one request that has a span twice, in two months: partitions are
    read in any order, and FINAL keeps the row of the last one.
    """
    traces: dict[tuple[str, str], dict[str, Span]] = {}
    for row in rows:
        project = row.pop()
        if row[13]:
            row[13] = [Event._make(event) for event in row[13]]
        if row[14]:
            row[14] = [Link._make(link) for link in row[14]]
        span = Span._make(row)
        spans = traces.setdefault((project, span.trace_id), {})
        known = spans.get(span.span_id)
        if known is None or (known.row_version, known.start_ns) <= (
            span.row_version,
            span.start_ns,
        ):
            spans[span.span_id] = span
    return {TraceKey(*key): list(spans.values()) for key, spans in traces.items()}


def _rank(span: Span) -> tuple[int, int]:
    return span.row_version, span.start_ns


def change_of(row: Row) -> TraceChange:
    """Give a row of ``changes_since.sql`` or ``unextracted.sql`` its names."""
    project, trace_id, seq, first, last, has_root, span_count = row
    return TraceChange(TraceKey(project, trace_id), seq, first, last, bool(has_root), span_count)
