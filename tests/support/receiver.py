"""A receiver under test: its ports, its spool, and requests of one span or too many."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.otlp_door import named_headers

from spanloom.collector.intake.limits import Limits

if TYPE_CHECKING:
    import httpx

    from spanloom.collector.doors.otlp.grpc import GrpcReceiver
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.spool.spool import Spool
    from spanloom.metrics import Metrics

PROTOBUF, JSON = "application/x-protobuf", "application/json"
TRACE_HEX, SPAN_HEX = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"
LIMITS = Limits(max_request_bytes=100_000, max_spans=1_000, workers=8)
ONE_JSON = (
    b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"%s","name":"n"}]}]}]}'
    % (TRACE_HEX.encode(), SPAN_HEX.encode())
)


def request_of(*spans: Span) -> bytes:
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return request.SerializeToString()


ONE_SPAN = Span(trace_id=bytes.fromhex(TRACE_HEX), span_id=bytes.fromhex(SPAN_HEX), name="n")
ONE = request_of(ONE_SPAN)
LARGE = request_of(*[ONE_SPAN] * 1_001)


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return packer.compress(bytes(size)) + packer.flush()


@dataclass
class Receiver:
    exporter: Exporter
    spool: Spool
    metrics: Metrics
    grpc_port: int
    http_port: int
    http: httpx.Client
    grpc_receiver: GrpcReceiver

    def post(
        self,
        body: bytes,
        kind: str | None = PROTOBUF,
        coding: str = "",
        path: str = "/v1/traces",
        **headers: str,
    ) -> httpx.Response:
        return self.http.post(path, content=body, headers=named_headers(kind, coding, headers))

    def stored(self) -> list[bytes]:
        """Return the requests in the spool, without the project added by intake."""
        requests = [
            ExportTraceServiceRequest.FromString(record.body)
            for record in self.spool.read_batch(1 << 30)
        ]
        for request in requests:
            request.DiscardUnknownFields()
        return [request.SerializeToString() for request in requests]
