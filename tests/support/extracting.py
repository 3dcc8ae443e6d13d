"""An extractor over the in-memory store, with a clock that the test advances."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import message_of, next_seq, wire_span, with_projects

from spanloom.collector.doors.otlp.content_events import collect_content_events
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.validate import validate_request
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.spans import Signal, SpooledRequest
from spanloom.core.pricing import LISTED, PriceBook
from spanloom.core.sharing import hold_all
from spanloom.extractor.batch import InProcess
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import NS, Timing
from spanloom.extractor.result import MAX_TRACE_SPANS, BuildOptions
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.ports.store import Store
    from spanloom.core.sharing import Slices
    from spanloom.extractor.watch import Watch

T0_NS = 1_900_000_000 * NS
TRACE = "ab" * 16


class World:
    """A store, an extractor and a clock, all controlled by the test."""

    def __init__(
        self,
        store: Store | None = None,
        timing: Timing | None = None,
        max_trace_spans: int = MAX_TRACE_SPANS,
        prices: PriceBook = LISTED,
        watch: Watch | None = None,
    ) -> None:
        self.store: Store = store or MemoryStore()
        self.is_shared = not isinstance(self.store, MemoryStore)
        """Whether other tests use the store, in which a request from the future changes their
        results.
        """
        self.now_ns = next_seq() * 1000 if self.is_shared else T0_NS
        self.wall_ahead_ns = 0
        if isinstance(self.store, MemoryStore):
            self.store.state.clock_ns = lambda: self.now_ns
        self.timing = timing or Timing()
        self.options = BuildOptions(max_trace_spans, prices)
        self.watch = watch
        self.restart()

    def restart(self, held: Callable[[], Slices] = hold_all) -> None:
        """Start a new extractor over what is stored, for the traces of these slices."""
        self.metrics = Metrics()
        self.extractor = Extractor(
            self.store,
            self.metrics,
            self.timing,
            lambda: self.now_ns,
            wall_clock=lambda: self.now_ns + self.wall_ahead_ns,
            builder=InProcess(self.store, self.options, self.watch),
            held=lambda _: held(),
        )

    def wait(self, seconds: float) -> None:
        self.now_ns += int(seconds * NS)

    def step(self, seconds: float = 0) -> int:
        """Advance the time and run the extractor once; return the number of built traces."""
        self.wait(seconds)
        return self.extractor.run_once()

    def run(self, seconds: float, every: float = 0.2) -> None:
        """Run the extractor repeatedly."""
        for _ in range(round(seconds / every)):
            self.step(every)

    def send(self, *spans: WireSpan) -> None:
        """Store spans as one request that is accepted now."""
        self.send_message(message_of(spans))

    def send_message(self, message: ExportTraceServiceRequest | bytes, seq: int = 0) -> None:
        body = message if isinstance(message, bytes) else message.SerializeToString()
        self.wait(0.000_001)  # sequence numbers are microseconds and never the same twice
        seq = seq or (next_seq() if self.is_shared else self.now_ns // 1000)
        accepted_ns = self.now_ns + self.wall_ahead_ns
        self.store.spans.append([SpooledRequest(seq, "", accepted_ns, with_projects(body), 0)])

    def insert_late(
        self, seconds: float, message: ExportTraceServiceRequest | bytes, seq: int = 0
    ) -> None:
        """Store a request by an INSERT that began earlier and becomes visible only now."""
        assert isinstance(self.store, MemoryStore)
        began_ns = self.now_ns - int(seconds * NS)
        clock, self.store.state.clock_ns = self.store.state.clock_ns, lambda: began_ns
        self.send_message(message, seq)
        self.store.state.clock_ns = clock

    def send_logs(self, logs: bytes) -> None:
        """Store the stored form of a logs request that is accepted now."""
        collected = collect_content_events(logs, Limits())
        kept = ((collected.body, Signal.CONTENT_EVENTS), (collected.spans, Signal.SPANS))
        for body, signal in kept:
            if body:
                found = validate_request(body, Limits())
                self.wait(0.000_001)
                now_ns = self.now_ns
                self.store.spans.append(
                    [
                        SpooledRequest(
                            now_ns // 1000, "", now_ns, found.body, found.span_count, signal
                        )
                    ]
                )

    def document(self, trace_id: str = TRACE) -> dict[str, Any]:
        """Return the stored document; empty if there is none."""
        return json.loads(self.store.documents.get(trace_id, Reach.ALL) or b"{}")  # type: ignore[no-any-return]  # JSON

    def said(self, trace_id: str = TRACE) -> tuple[int, str, int]:
        """Return version, status and number of spans of the stored document; zeros if none."""
        found = self.document(trace_id).get("extraction", {})
        return found.get("version", 0), found.get("status", ""), found.get("span_count", 0)

    def statuses(self, trace_ids: Iterable[str]) -> dict[str, str]:
        return {trace_id[:2]: self.said(trace_id)[1] for trace_id in trace_ids}


def key_of(trace_id: str = TRACE) -> TraceKey:
    return TraceKey("default", trace_id)


def sent(
    number: int,
    parent: int = 0,
    attributes: Mapping[str, object] | None = None,
    trace_id: str = TRACE,
    start_ms: int = 0,
    last_ms: int = 10,
) -> WireSpan:
    """Return a span to send; its times are milliseconds after a fixed start."""
    span = wire_span(trace_id, number, parent, start_ns=T0_NS, attributes=attributes)
    span.start_time_unix_nano += start_ms * 1_000_000
    span.end_time_unix_nano = span.start_time_unix_nano + last_ms * 1_000_000
    return span


def without_version(document: bytes | None) -> dict[str, Any]:
    """Return a document without its version."""
    assert document is not None
    found: dict[str, Any] = json.loads(document)
    del found["extraction"]["version"]
    return found
