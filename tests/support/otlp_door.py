"""Sends OTLP to a running service over HTTP and gRPC, and returns the responses."""

from __future__ import annotations

import secrets
import socket
import time
from typing import TYPE_CHECKING, NamedTuple, Self

import grpc
import httpx
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PROTOBUF, JSON = "application/x-protobuf", "application/json"
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
FOUND_S = 30.0


def new_trace() -> str:
    """Return a trace id that no other test uses, in hex."""
    return secrets.token_hex(16)


def make_span(trace_id: str, number: int = 1) -> Span:
    """Return a small valid span; its name is its number."""
    return Span(
        trace_id=bytes.fromhex(trace_id),
        span_id=number.to_bytes(8, "big"),
        name=str(number),
        start_time_unix_nano=1_760_000_000_000_000_000 + number,
        end_time_unix_nano=1_760_000_000_001_000_000,
    )


def request_of(*spans: Span) -> bytes:
    """Return an encoded request with these spans."""
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    return request.SerializeToString()


def padded_request(size: int) -> bytes:
    """Return a request of one span of exactly ``size`` bytes, more than 64 KiB."""
    body = request_of(make_span(new_trace()))
    filler = size - len(body) - 5  # tag and length of an unknown field
    length = bytes([filler & 127 | 128, filler >> 7 & 127 | 128, filler >> 14])
    return body + b"\xa2\x06" + length + bytes(filler)


def invalid_request(count: int) -> bytes:
    """Return a request of ``count`` empty spans, each of which is rejected."""
    return request_of(*[Span()] * count)


class Reply(NamedTuple):
    """The end of a gRPC call."""

    code: grpc.StatusCode
    body: bytes
    status: Status
    """The status in the trailers; empty for OK."""

    @property
    def hint_s(self) -> float | None:
        """The ``retry_delay``.

        ``None`` without ``RetryInfo``, which means that retries are useless.
        """
        hint = RetryInfo()
        delays = [hint.retry_delay.ToTimedelta() for d in self.status.details if d.Unpack(hint)]
        return delays[0].total_seconds() if delays else None

    @property
    def is_bad_request(self) -> bool:
        return any(detail.Is(BadRequest.DESCRIPTOR) for detail in self.status.details)


def named_headers(kind: str | None, coding: str, others: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a request; ``x_api_key`` becomes ``x-api-key``."""
    named = {name.replace("_", "-"): value for name, value in others.items()}
    named |= {"content-type": kind} if kind is not None else {}
    named |= {"content-encoding": coding} if coding else {}
    return named


class Door:
    """Clients of both transports; ``with`` closes them."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self.addresses = addresses
        self.http = httpx.Client(base_url=addresses["otlp_http"], timeout=60)
        self.channel = grpc.insecure_channel(addresses["otlp_grpc"].removeprefix("http://"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self.channel.close()

    def post(
        self,
        body: bytes | Iterable[bytes],
        kind: str | None = PROTOBUF,
        coding: str = "",
        path: str = "/v1/traces",
        **headers: str,
    ) -> httpx.Response:
        """Send over HTTP; an iterable is sent in chunks, without a Content-Length."""
        return self.http.post(path, content=body, headers=named_headers(kind, coding, headers))

    def rpc(
        self,
        body: bytes,
        compression: grpc.Compression = grpc.Compression.NoCompression,
        method: str = EXPORT,
        key: str = "",
    ) -> Reply:
        """Send over gRPC."""
        export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(
            method, None, None
        )
        metadata = (("authorization", f"Bearer {key}"),) if key else None
        call = export.future(body, timeout=30, metadata=metadata, compression=compression)
        if call.exception() is None:
            return Reply(call.code(), call.result(), Status())
        details = dict(call.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
        assert isinstance(details, bytes)
        return Reply(call.code(), b"", Status.FromString(details))

    def both(self, body: bytes) -> tuple[ExportTraceServiceResponse, ExportTraceServiceResponse]:
        """Send the same over HTTP and gRPC; return both responses, which must be successes."""
        over_http, over_grpc = self.post(body), self.rpc(body)
        assert over_http.status_code == 200, over_http.text
        assert over_grpc.code is grpc.StatusCode.OK, over_grpc.status
        return (
            ExportTraceServiceResponse.FromString(over_http.content),
            ExportTraceServiceResponse.FromString(over_grpc.body),
        )

    def raw(self, data: bytes) -> bytes:
        """Send raw bytes to the HTTP port; return all bytes until the server closes."""
        with self.connect() as client:
            client.sendall(data)
            return b"".join(iter(lambda: client.recv(65536), b""))

    def connect(self) -> socket.socket:
        """Open a connection to the HTTP port."""
        port = int(self.addresses["otlp_http"].rpartition(":")[2])
        return socket.create_connection(("127.0.0.1", port), timeout=30)

    def names(self, trace_id: str, count: int) -> list[str]:
        """Wait until a trace has that many spans; return the names of all its spans."""
        until = time.monotonic() + FOUND_S
        while True:
            answer = httpx.get(f"{self.addresses['api']}/v1/trajectories/{trace_id}/spans")
            spans = answer.json()["spans"] if answer.status_code == 200 else []
            if len(spans) >= count:
                return sorted(span["name"] for span in spans)
            assert time.monotonic() < until, f"{trace_id}: {answer.text}"
            time.sleep(0.02)

    def metric(self, sample: str) -> float:
        """Return a sample of ``/metrics``, 0 if it does not exist yet."""
        text = httpx.get(f"{self.addresses['api']}/metrics").text
        values = [line.rpartition(" ")[2] for line in text.splitlines() if line.startswith(sample)]
        return sum(map(float, values))
