"""The OTLP endpoints of a running service: raw requests in, complete responses out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import grpc
import httpx
import orjson
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from tests.support.bad_inputs import JSON, PROTOBUF

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT_S = 60.0
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


class Answer(NamedTuple):
    """The response to one request, over any transport."""

    status: int
    """The status code of HTTP or gRPC."""
    code: int
    """The code of the ``google.rpc.Status``; 0 if the request was accepted."""
    message: str
    rejected: int = 0
    is_bad_request: bool = False
    retry_s: int | None = None


class Doors:
    """OTLP over HTTP and gRPC, each with one connection that must stay usable."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self.http = httpx.Client(base_url=addresses["otlp_http"], timeout=TIMEOUT_S)
        self._channel = grpc.insecure_channel(addresses["otlp_grpc"].removeprefix("http://"))

    def close(self) -> None:
        self.http.close()
        self._channel.close()

    def post(
        self, body: bytes, kind: str | None = PROTOBUF, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Post to ``/v1/traces``; the response must have the encoding of the request."""
        named = dict(headers or {}) | ({"Content-Type": kind} if kind else {})
        answer = self.http.post("/v1/traces", content=body, headers=named)
        encoding = (kind or "").partition(";")[0].lower()
        written = encoding if encoding in {PROTOBUF, JSON} else JSON
        assert answer.headers["content-type"] == written
        retry = answer.headers.get("retry-after")
        read = _read_json if written == JSON else _read_protobuf
        return read(answer.status_code, answer.content)._replace(
            retry_s=None if retry is None else int(retry)
        )

    def cancel(self, body: bytes) -> None:
        """Begin a gRPC call and cancel it."""
        export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(
            EXPORT, None, None
        )
        call = export.future(body, timeout=TIMEOUT_S)
        call.cancel()  # type: ignore[no-untyped-call]  # its stubs have no types

    def call(
        self,
        body: bytes,
        compression: grpc.Compression = grpc.Compression.NoCompression,
        metadata: Mapping[str, str] | None = None,
        method: str = EXPORT,
    ) -> Answer:
        """Call a gRPC method with the raw bytes of a message."""
        export: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(
            method, None, None
        )
        try:
            answer = export(
                body,
                timeout=TIMEOUT_S,
                compression=compression,
                metadata=tuple((metadata or {}).items()),
            )
        except grpc.RpcError as error:
            return _read_failed_call(error)
        return _read_protobuf(Code.OK, answer)


def _read_protobuf(status: int, body: bytes) -> Answer:
    if status in {Code.OK, 200}:
        part = ExportTraceServiceResponse.FromString(body).partial_success
        return Answer(status, 0, part.error_message, part.rejected_spans)
    return _of_status(status, Status.FromString(body))


def _read_json(status: int, body: bytes) -> Answer:
    document = orjson.loads(body)
    if status == 200:
        part = document.get("partialSuccess", {})
        return Answer(200, 0, part.get("errorMessage", ""), int(part.get("rejectedSpans", 0)))
    types = {detail["@type"] for detail in document.get("details", ())}
    is_bad = "type.googleapis.com/google.rpc.BadRequest" in types
    return Answer(status, document["code"], document["message"], is_bad_request=is_bad)


def _of_status(http: int, status: Status) -> Answer:
    is_bad = any(detail.Is(BadRequest.DESCRIPTOR) for detail in status.details)
    retry = RetryInfo()
    hints = [retry.retry_delay.seconds for detail in status.details if detail.Unpack(retry)]
    return Answer(
        http,
        status.code,
        status.message,
        is_bad_request=is_bad,
        retry_s=hints[0] if hints else None,
    )


def _read_failed_call(call: grpc.RpcError) -> Answer:
    assert isinstance(call, grpc.Call)
    number: int = call.code().value[0]
    trailers = {datum.key: datum.value for datum in call.trailing_metadata() or ()}
    if (details := trailers.get("grpc-status-details-bin")) is None:  # set by gRPC itself
        return Answer(number, number, call.details() or "")
    assert isinstance(details, bytes)
    return _of_status(number, Status.FromString(details))
