"""Reports errors to clients, with a table that maps error classes to gRPC and HTTP statuses."""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import orjson
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status

from spanloom.core.errors import (
    InvalidRequestError,
    PermissionDeniedError,
    RateLimitedError,
    RequestTooLargeError,
    RetryableError,
    UnauthenticatedError,
    UnsupportedEncodingError,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message


class Encoding(StrEnum):
    """The OTLP encoding of a request and of its response; the value is the media type."""

    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"


MIN_RETRY_S = 1.0
MAX_RETRY_S = 5.0
"""The longest retry hint, in seconds; exporters time out after ten seconds in total."""
MAX_MESSAGE_BYTES = 4096
"""Maximum length of the message in a partial success, in bytes."""
MAX_ERROR_BYTES = 1024
"""Maximum length of an error message in bytes; gRPC sends it twice, within 8 KiB of metadata."""


@dataclass(frozen=True, slots=True)
class StatusCodes:
    """The gRPC and HTTP statuses for an error class."""

    grpc: int
    """A ``google.rpc.Code``."""
    http: int
    outcome: str
    """Name of the outcome in the metrics."""


_TABLE: tuple[tuple[type[BaseException], StatusCodes], ...] = (
    (InvalidRequestError, StatusCodes(Code.INVALID_ARGUMENT, 400, "invalid")),
    (UnsupportedEncodingError, StatusCodes(Code.UNIMPLEMENTED, 415, "unsupported")),
    (RequestTooLargeError, StatusCodes(Code.RESOURCE_EXHAUSTED, 413, "too_large")),
    (UnauthenticatedError, StatusCodes(Code.UNAUTHENTICATED, 401, "unauthenticated")),
    (PermissionDeniedError, StatusCodes(Code.PERMISSION_DENIED, 403, "forbidden")),
    (RateLimitedError, StatusCodes(Code.RESOURCE_EXHAUSTED, 429, "rate_limited")),
    (RetryableError, StatusCodes(Code.UNAVAILABLE, 503, "unavailable")),
    (MemoryError, StatusCodes(Code.UNAVAILABLE, 503, "unavailable")),  # transient
)
_INTERNAL = StatusCodes(Code.INTERNAL, 500, "internal")


def status_codes(error: BaseException) -> StatusCodes:
    """Return the statuses for an error; a class that is not in the table is an internal error."""
    return next((codes for kind, codes in _TABLE if isinstance(error, kind)), _INTERNAL)


def retry_after_s(error: BaseException) -> int | None:
    """Return the seconds after which to retry, rounded up; ``None`` if a retry is useless."""
    if isinstance(error, MemoryError):
        return math.ceil(MAX_RETRY_S)
    if not isinstance(error, RetryableError):
        return None
    return math.ceil(min(max(error.retry_after_s, MIN_RETRY_S), MAX_RETRY_S))


def build_status(error: BaseException) -> Status:
    """Return the ``google.rpc.Status`` for an error: code, message, and details by error class."""
    codes = status_codes(error)
    text = str(error) or "There is no memory for it at the moment."
    if codes is _INTERNAL:
        text = "Internal error: the server's log has it."
    status = Status(code=codes.grpc, message=clip(text, MAX_ERROR_BYTES))
    if isinstance(error, InvalidRequestError):
        violation = BadRequest.FieldViolation(description=status.message)
        status.details.append(_packed(BadRequest(field_violations=[violation])))
    if (delay := retry_after_s(error)) is not None:
        status.details.append(_packed(RetryInfo(retry_delay=Duration(seconds=delay))))
    return status


def encode_status(status: Status, encoding: Encoding) -> bytes:
    """Encode a status in the encoding of the request."""
    if encoding is Encoding.PROTOBUF:
        return status.SerializeToString()
    details = [_detail_as_json(detail) for detail in status.details]
    document: dict[str, object] = {"code": status.code, "message": status.message}
    return orjson.dumps(document | ({"details": details} if details else {}))


def clip(text: str, max_bytes: int) -> str:
    """Return the beginning of a text, at most ``max_bytes`` bytes in UTF-8."""
    encoded = text.encode(errors="replace")
    return text if len(encoded) <= max_bytes else encoded[:max_bytes].decode(errors="ignore")


def _packed(message: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(message)
    return packed


def _detail_as_json(detail: AnyMessage) -> dict[str, object]:
    """Convert a detail of a status to JSON, as protobuf maps ``Any``."""
    named: dict[str, object] = {"@type": detail.type_url}
    request, retry = BadRequest(), RetryInfo()
    if detail.Unpack(request):
        violations = [{"description": v.description} for v in request.field_violations]
        return named | {"fieldViolations": violations}
    if detail.Unpack(retry):
        return named | {"retryDelay": f"{retry.retry_delay.seconds}s"}
    return named | {"value": base64.b64encode(detail.value).decode()}
