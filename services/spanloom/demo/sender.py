"""Sends a run like an SDK: OTLP over gRPC, one request after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_ANSWER_S = 30.0


class SendError(SpanloomError):
    """The receiver did not accept a request."""


def send_requests(target: str, requests: Sequence[ExportTraceServiceRequest]) -> Iterator[int]:
    """Send each request to ``host:port``; yield its size in bytes once it is acknowledged.

    Raises ``SendError`` if the receiver fails, or rejects spans.
    """
    with grpc.insecure_channel(target) as channel:
        stub = TraceServiceStub(channel)
        for request in requests:
            try:
                response = stub.Export(request, timeout=_ANSWER_S, wait_for_ready=True)
            except grpc.RpcError as error:
                raise SendError(f"{target} did not take the request: {error}") from error
            if response.partial_success.rejected_spans:
                raise SendError(f"{target} refused: {response.partial_success.error_message}")
            yield request.ByteSize()
