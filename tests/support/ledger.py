"""Records what was sent and acknowledged; every fault test compares the store with it."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum, auto
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

REQUESTS_PER_TRACE = 25
MAX_SPANS = 4
_START_NS = 1_760_000_000_000_000_000


class Outcome(Enum):
    """How a request ended, as its client saw it."""

    ACKNOWLEDGED = auto()
    REFUSED = auto()
    """Refused with a retry hint, so that nothing was stored."""
    UNKNOWN = auto()
    """No response, so that it may be stored or not."""


class SentSpan(NamedTuple):
    """A small span; ids in hexadecimal."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    """A unique value that distinguishes a span from its neighbours."""
    start_ns: int

    @property
    def key(self) -> str:
        return f"{self.trace_id}/{self.span_id}"


Request = tuple[SentSpan, ...]


def make_requests(name: str) -> Iterator[Request]:
    """Yield requests endlessly, the same for the same name: traces of a root and its children."""
    chance = Random(name)
    number = 0
    while True:
        trace_id, root_id = chance.randbytes(16).hex(), ""
        for _ in range(REQUESTS_PER_TRACE):
            spans = []
            for _ in range(chance.randint(1, MAX_SPANS)):
                span_id, number = chance.randbytes(8).hex(), number + 1
                start_ns = _START_NS + number * 1_000_000
                spans.append(SentSpan(trace_id, span_id, root_id, f"{name}/{number}", start_ns))
                root_id = root_id or span_id
            yield tuple(spans)


def as_protobuf(spans: Request) -> ExportTraceServiceRequest:
    """Write a request as OTLP protobuf."""
    request = ExportTraceServiceRequest()
    kept = request.resource_spans.add().scope_spans.add().spans
    for span in spans:
        kept.add(
            trace_id=bytes.fromhex(span.trace_id),
            span_id=bytes.fromhex(span.span_id),
            parent_span_id=bytes.fromhex(span.parent_id),
            name=span.name,
            start_time_unix_nano=span.start_ns,
            end_time_unix_nano=span.start_ns + 500_000,
        )
    return request


def as_json(spans: Request) -> dict[str, object]:
    """Write a request in OTLP's JSON mapping."""
    written = [
        {
            "traceId": span.trace_id,
            "spanId": span.span_id,
            "parentSpanId": span.parent_id,
            "name": span.name,
            "startTimeUnixNano": str(span.start_ns),
            "endTimeUnixNano": str(span.start_ns + 500_000),
        }
        for span in spans
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": written}]}]}


@dataclass(frozen=True)
class Account:
    """All spans by key; an unacknowledged span may be stored, at most once."""

    sent: Mapping[str, SentSpan]
    acknowledged: frozenset[str]

    def acknowledged_by_trace(self) -> Mapping[str, set[str]]:
        """Return the acknowledged span ids of each trace."""
        traces: defaultdict[str, set[str]] = defaultdict(set)
        for key in self.acknowledged:
            trace_id, span_id = key.split("/")
            traces[trace_id].add(span_id)
        return traces


class Ledger:
    """Written by many clients concurrently, and read when they have ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[tuple[Request, Outcome]] = []

    def note(self, request: Request, outcome: Outcome) -> None:
        with self._lock:
            self._entries.append((request, outcome))

    def requests(self, outcome: Outcome) -> Sequence[Request]:
        with self._lock:
            return [request for request, became in self._entries if became is outcome]

    def account(self) -> Account:
        """Sum up; a repeated request counts as acknowledged if any response acknowledged it."""
        sent = {span.key: span for request, _ in self._entries for span in request}
        taken = self.requests(Outcome.ACKNOWLEDGED)
        return Account(sent, frozenset(span.key for request in taken for span in request))
