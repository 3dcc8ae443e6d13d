"""OTLP/JSON to OTLP protobuf, by OTLP's own mapping.

Not protobuf's: ids are hex, 64-bit numbers may be numbers or strings, fields nobody knows
are ignored (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). The messages
are those of the stock classes; one table per message, made from its descriptor, says how
each JSON field becomes bytes. Names in snake_case and enum names are taken as well, as the
OpenTelemetry Collector does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.doors.otlp.json_messages import InvalidFieldError, MessageEncoder
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError

if TYPE_CHECKING:
    from spanloom.collector.intake.limits import Limits

_SHOWN_BYTES = 200


def load_json(body: bytes, limits: Limits) -> dict[str, object]:
    """Parse a request's JSON text; it must be one object.

    Raises ``InvalidRequestError``, and ``RequestTooLargeError`` for a text whose parsed form
    would be out of proportion.
    """
    nodes = body.count(b"{") + body.count(b"[") + body.count(b",")
    if nodes > limits.max_json_nodes:
        raise RequestTooLargeError(
            f"The request has more than {limits.max_json_nodes} JSON values: send smaller batches."
        )
    try:
        document: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if error.msg.startswith("Not enough memory"):  # which orjson does not tell apart
            raise MemoryError from error
        raise InvalidRequestError(f"The body is not valid JSON: {error}.") from error
    if not isinstance(document, dict):
        raise InvalidRequestError("The body must be a JSON object.")
    return document


def decode_traces(body: bytes, limits: Limits) -> bytes:
    """Return a JSON ``ExportTraceServiceRequest`` as protobuf.

    Raises ``InvalidRequestError`` naming the field that is wrong. A malformed id does not
    fail the request: it becomes bytes of a wrong length, for which its span is rejected.
    """
    return _decode(body, _TRACES, limits)


def decode_logs(body: bytes, limits: Limits) -> bytes:
    """Return a JSON ``ExportLogsServiceRequest`` as protobuf; raises as ``decode_traces``."""
    return _decode(body, _LOGS, limits)


def _decode(body: bytes, message: MessageEncoder, limits: Limits) -> bytes:
    document = load_json(body, limits)
    try:
        return message.encode(document, limits.max_value_depth)
    except InvalidFieldError as error:
        path = error.path[:_SHOWN_BYTES]
        raise InvalidRequestError(f"{path}: {error}.") from error


_TRACES = MessageEncoder.of(ExportTraceServiceRequest.DESCRIPTOR)
_LOGS = MessageEncoder.of(ExportLogsServiceRequest.DESCRIPTOR)
