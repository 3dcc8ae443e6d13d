"""Table rows of bad requests: the input, the expected response, the stored spans."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from google.rpc.code_pb2 import Code
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOBUF, JSON = "application/x-protobuf", "application/json"
Build = Callable[[bytes], bytes]
"""Writes a request of spans of the trace with this id (16 bytes)."""


class Expected(NamedTuple):
    """The expected response, the same over HTTP and gRPC."""

    http: int
    grpc: int
    """A ``google.rpc.Code``."""
    rejected: int = 0
    says: str = ""
    """Text in the message of a partial success; empty for a full success."""


TAKEN = Expected(200, Code.OK)
INVALID = Expected(400, Code.INVALID_ARGUMENT)
TOO_LARGE = Expected(413, Code.RESOURCE_EXHAUSTED)
UNSUPPORTED = Expected(415, Code.UNIMPLEMENTED)


def partial(rejected: int, says: str) -> Expected:
    """Return the expected response to a request of which ``rejected`` spans are not stored."""
    return TAKEN._replace(rejected=rejected, says=says)


class BadInput(NamedTuple):
    """One row of the table of bad inputs."""

    name: str
    """The name, which begins with the number of the row, ``B1`` to ``B51``."""
    body: Build
    expected: Expected
    kept: Build | None = None
    """A request with the spans that are stored of the input; ``None``: all sent spans."""
    kind: str = PROTOBUF
    headers: Mapping[str, str] = {}

    def stored(self, trace_id: bytes) -> bytes:
        """Return the spans of the trace that must be stored afterwards, as a request."""
        if self.expected.http != 200:
            return b""
        return (self.kept or self.body)(trace_id)


def always(body: bytes) -> Build:
    """Return a function that builds the same bytes for every trace."""
    return lambda _: body


def made_once(make: Callable[[], bytes]) -> Build:
    """Return a function that makes large bytes at its first call, the same for every trace."""
    made = cache(make)
    return lambda _: made()


def request_of(*spans: Span) -> bytes:
    """Return an encoded request of one resource and one scope."""
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return request.SerializeToString()


def one(**fields: object) -> Build:
    """Return a function that builds a request of one span with these fields."""
    return lambda trace_id: request_of(span_of(trace_id, **fields))


def span_of(trace_id: bytes, number: int = 1, /, **fields: object) -> Span:
    """Return a span whose id is a number."""
    ids = {"trace_id": trace_id, "span_id": number.to_bytes(8, "big"), "name": "odd"}
    return Span(**{**ids, **fields})  # type: ignore[arg-type]  # fields of a span


def field(number: int, content: bytes) -> bytes:
    """Return an encoded field of bytes, a text or a message."""
    return encode_varint(number << 3 | 2) + encode_varint(len(content)) + content
