"""Spans in ClickHouse: stores requests, returns spans and changes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from spanloom.core.conventions.evaluations import OF_RESPONSE
from spanloom.core.errors import StoreRejectedError
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.building import CarriedSpans
from spanloom.core.ports.spans import (
    Arrived,
    Ids,
    Read,
    Request,
    Signal,
    SpooledRequest,
    TracePart,
    Traces,
    Unplaced,
)
from spanloom.storage.engine.parameters import batched, within
from spanloom.storage.engine.remembered import Writes
from spanloom.storage.spans.otlp import StoredSpan, encode_traces
from spanloom.storage.spans.records import FramedRecords, canonical_request
from spanloom.storage.spans.revisits import record_revisits
from spanloom.storage.spans.rows import (
    are_distinct,
    event_of,
    join_events,
    newest_spans,
    parted,
    shared,
    unplaced_results,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from spanloom.core.model.access import Reach
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Values


T = TypeVar("T")


def one_ahead(queries: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield the results of the queries in order; the next query runs while a result is used.

    Never two queries run at a time. Raises the error of a query instead of yielding its result.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="ahead") as thread:
        running: Future[T] | None = None
        for query in queries:
            following = thread.submit(query)
            if running is not None:
                yield running.result()
            running = following
        if running is not None:
            yield running.result()


ENTRANCES = {Signal.CONTENT_EVENTS: "otlp_event_requests", Signal.SPANS: "otlp_requests"}
"""The tables for requests; events are inserted first, because spans may complete a trace."""
SPANS_PER_QUERY = 20_000
HEX_DIGITS = "0123456789abcdef"


class ClickHouseSpans:
    """Stores and reads spans; the writer, the extractor and users each have a connection."""

    def __init__(
        self, writer: Connection, worker: Connection, reader: Connection, *, is_alone: bool
    ) -> None:
        """Use the connections; the caller closes them.

        ``is_alone`` means that no other process appends.
        """
        self._writer = writer
        self._worker = worker
        self._reader = reader
        self._seen_events = self._queried_events = self._seen_unplaced = False
        self._appended_events, self._queried_unplaced = 0, -1
        self._appends = Writes() if is_alone else None

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """See ``SpanWriter.append``."""
        with self._appends or nullcontext():
            for signal, table in ENTRANCES.items():
                if own := [request for request in requests if request.signal is signal]:
                    self._seen_events |= signal is Signal.CONTENT_EVENTS
                    self._insert(table, own)
                    self._appended_events += signal is Signal.CONTENT_EVENTS

    def revisit(self, keys: Sequence[TraceKey]) -> None:
        """Let the extractor build stored traces again, as if their root had just arrived."""
        with self._appends or nullcontext():
            record_revisits(self._worker, keys)

    def appends(self) -> int | None:
        """See ``ChangeReader.appends``."""
        return self._appends.ended if self._appends else None

    def _insert(self, table: str, requests: Sequence[SpooledRequest]) -> None:
        try:
            self._writer.insert_requests(table, FramedRecords(requests))
        except StoreRejectedError:
            # Valid protobuf that ClickHouse does not accept: a field set twice, an overlong number.
            canonical = [canonical_request(request) for request in requests]
            self._writer.insert_requests(table, FramedRecords(canonical))

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        """See ``SpanReader.read_spans``."""
        found = Traces()
        for some in batched(keys):
            rows = self._rows_of_long_trace(some) if self._is_long(some) else self._rows(some)
            traces = newest_spans(rows)
            if self._has_events():
                join_events(traces, map(event_of, self._worker.rows("read_events", keys=some)))
            found.update(traces)
            found.contents.update(traces.contents)
            found.unplaced.update(traces.unplaced)
        return found

    def carry_spans(self, groups: Sequence[Sequence[TraceKey]]) -> Sequence[CarriedSpans]:
        """See ``SpanCarrier.carry_spans``."""
        if len(groups) > 1 and not are_distinct(groups):
            return [carried for group in groups for carried in self.carry_spans([group])]
        keys = [key for group in groups for key in group]
        answer = self._worker.unnamed("read_spans", keys=keys, span_id_start="")
        spans = parted(answer, groups) if len(groups) > 1 else [answer]
        events = [self._events_of(group) for group in groups]
        return list(map(CarriedSpans, spans, events))

    def _events_of(self, keys: Sequence[TraceKey]) -> bytes:
        return self._worker.named("read_events", keys=list(keys)) if self._has_events() else b""

    def _has_events(self) -> bool:
        """Return whether any content event is stored; queried once if no other process appends."""
        if not (self._seen_events or (self._appends and self._queried_events)):
            self._queried_events = True
            if any(self._worker.rows("any_event")):
                self._seen_events = True
        return self._seen_events

    def _is_long(self, keys: Sequence[TraceKey]) -> bool:
        """Return whether ``keys`` is a single, very long trace, which is read separately."""
        if len(keys) > 1:
            return False
        ((count,),) = self._worker.rows("count_spans", keys=keys)
        return int(count) > SPANS_PER_QUERY

    def _rows(self, keys: Sequence[TraceKey], span_id_start: str = "") -> Iterator[Values]:
        return self._worker.values("read_spans", keys=keys, span_id_start=span_id_start)

    def _rows_of_long_trace(self, keys: Sequence[TraceKey]) -> Iterator[Values]:
        """Yield the rows slice by slice, because each response is in memory several times.

        The engine reads the next slice while this slice is parsed.
        """
        slices = (partial(self._rows, keys, digit) for digit in HEX_DIGITS)
        return shared(chain.from_iterable(one_ahead(slices)))

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """See ``SpanReader.read_part``."""
        of_trace = {"project": key.project, "trace_id": key.trace_id}
        ((uncovered,),) = self._worker.rows("uncovered", **of_trace)
        size = next(self._worker.rows("trace_size", **of_trace))
        left_out = max(size.event_count - limit, 0)
        before = max(min(size.span_count, limit) - 1, 0)
        last = next(self._worker.rows("last_of_part", **of_trace, before=before), None)
        traces = Traces()
        if last is not None:  # otherwise it has only events, or was removed since it was counted
            place = {**of_trace, **last._asdict()}
            # A response with few spans takes little memory; each query takes 10 to 20 ms.
            starts = HEX_DIGITS if before >= SPANS_PER_QUERY else [""]
            slices = (
                partial(self._worker.values, "read_part", **place, span_id_start=s) for s in starts
            )
            traces = newest_spans(shared(chain.from_iterable(one_ahead(slices))))
        events = self._worker.rows("read_part_events", **of_trace, limit=limit)
        join_events(traces, map(event_of, events), is_whole=size.span_count <= limit)
        spans = traces.get(key, [])
        return TracePart(
            spans,
            max(size.span_count, len(spans)),
            left_out,
            size.newest_seq,
            Read(size.span_count + size.event_count, int(size.ranks)),
            is_whole=not uncovered,
            unplaced=traces.unplaced.get(key, ()),
        )

    def read_unplaced(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Unplaced]]:
        """See ``SpanReader.read_unplaced``."""
        if not keys or not self._has_unplaced():
            return {}
        found = (self._worker.rows("read_events", keys=some) for some in batched(keys))
        return unplaced_results(map(event_of, chain.from_iterable(found)))

    def _has_unplaced(self) -> bool:
        """Return whether any evaluation result with a response id and without a span is stored.

        Queried again after each INSERT of events; if other processes append, on each call until a
        result exists.
        """
        if not self._seen_unplaced and self._has_events():
            if self._appends and self._queried_unplaced == self._appended_events:
                return False
            self._queried_unplaced = self._appended_events
            own = {"first": OF_RESPONSE, "last": OF_RESPONSE + "g"}
            self._seen_unplaced = any(self._worker.rows("any_unplaced", **own))
        return self._seen_unplaced

    def find_home(self, trace_id: str, reach: Reach) -> TraceKey | None:
        """See ``SentSpans.find_home``."""
        found = self._reader.rows("find_home", trace_id=trace_id, reach=within(reach))
        row = next(found, None)
        return None if row is None else TraceKey(row.Project, trace_id)

    def parts_shown(self, key: TraceKey) -> Sequence[TraceKey]:
        """See ``SentSpans.parts_shown``."""
        found = self._reader.rows("parts_shown", **key._asdict())
        return [TraceKey(key.project, row.TraceId) for row in found]

    def read_otlp(
        self, key: TraceKey, span_id: str = "", after: str = "", limit: int = 2**31
    ) -> bytes:
        """See ``SentSpans.read_otlp``."""
        sent = self._sent(key, span_id, after, limit)
        if sent or not span_id:
            return sent
        found = self._reader.rows("part_with_span", **key._asdict(), span_id=span_id)
        part = next(found, None)
        return b"" if part is None else self._sent(TraceKey(key.project, part.TraceId), span_id)

    def _sent(self, key: TraceKey, span_id: str, after: str = "", limit: int = 2**31) -> bytes:
        rows = self._reader.values(
            "read_otlp", **key._asdict(), span_id=span_id, after=after, limit=limit
        )
        return encode_traces(StoredSpan(*row) for row in rows)

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """See ``SpanReader.arrived``."""
        return {
            TraceKey(project, trace_id): Arrived([Request(*r) for r in requests], spans, digest)
            for some in batched(keys)
            for project, trace_id, requests, spans, digest in self._worker.rows(
                "arrived", keys=some
            )
        }

    def read_ids(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Ids]]:
        """See ``SpanReader.read_ids``."""
        found: dict[TraceKey, list[Ids]] = {}
        for some in batched(keys):
            for row in self._worker.rows("request_ids", keys=some):
                ids = Ids(row.Seq, bool(row.IsEvents), row.Finished, row.Open)
                found.setdefault(TraceKey(row.Project, row.TraceId), []).append(ids)
        return found

    def whole_builds(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """See ``SpanReader.whole_builds``."""
        return {
            TraceKey(row.Project, row.TraceId): row.Digest
            for some in batched(keys)
            for row in self._worker.rows("whole_builds", keys=some)
        }
