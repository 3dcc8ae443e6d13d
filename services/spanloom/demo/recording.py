"""Sends the bundled agent run, with new times and ids, as an SDK would: OTLP over gRPC."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Recording(NamedTuple):
    """One agent run as the export requests that its SDK sent, in order."""

    title: str
    emitted_by: str
    requests: tuple[ExportTraceServiceRequest, ...]

    @property
    def trace_id(self) -> str:
        """The run's only trace, in lowercase hex."""
        return next(spans_of(self.requests)).trace_id.hex()

    @property
    def span_count(self) -> int:
        """Number of spans in all requests."""
        return sum(1 for _ in spans_of(self.requests))


def load_recording() -> Recording:
    """Return the bundled run as recorded."""
    folder = files("spanloom.demo")
    about = json.loads(folder.joinpath("recording.json").read_text("utf-8"))
    data = folder.joinpath("recording.binpb").read_bytes()
    ends = list(accumulate(about["request_sizes"]))
    requests = (
        ExportTraceServiceRequest.FromString(data[start:end])
        for start, end in zip([0, *ends], ends, strict=False)
    )
    return Recording(about["title"], about["emitted_by"], tuple(requests))


def refresh(recording: Recording, end_ns: int, new_id: Callable[[int], bytes]) -> Recording:
    """Return a copy whose last span ends at ``end_ns`` and whose ids are new.

    ``new_id`` returns an id of the given length in bytes. Durations, order and parents stay the
    same.
    """
    copies = tuple(_copy(request) for request in recording.requests)
    shift = end_ns - max(span.end_time_unix_nano for span in spans_of(copies))
    ids: dict[bytes, bytes] = {b"": b""}
    for span in spans_of(copies):
        for old in (span.trace_id, span.span_id, span.parent_span_id):
            if old not in ids:
                ids[old] = new_id(len(old))
        move(span, shift)
        span.trace_id = ids[span.trace_id]
        span.span_id = ids[span.span_id]
        span.parent_span_id = ids[span.parent_span_id]
    return recording._replace(requests=copies)


def spans_of(requests: Sequence[ExportTraceServiceRequest]) -> Iterator[Span]:
    """Yield every span of the requests."""
    for request in requests:
        for resource_spans in request.resource_spans:
            for scope_spans in resource_spans.scope_spans:
                yield from scope_spans.spans


def _copy(request: ExportTraceServiceRequest) -> ExportTraceServiceRequest:
    copy = ExportTraceServiceRequest()
    copy.CopyFrom(request)
    return copy


def move(span: Span, shift: int) -> None:
    """Move a span and its events by ``shift`` nanoseconds."""
    span.start_time_unix_nano += shift
    span.end_time_unix_nano += shift
    for event in span.events:
        event.time_unix_nano += shift


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
                raise SendError(f"{target} did not accept the request: {error}") from error
            if response.partial_success.rejected_spans:
                raise SendError(f"{target} refused: {response.partial_success.error_message}")
            yield request.ByteSize()
