"""Writes what an accepted request is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from spanloom.collector.doors.encoding import Encoding
from spanloom.collector.doors.status import MAX_MESSAGE_BYTES, clip
from spanloom.core.ports.spans import Signal

if TYPE_CHECKING:
    from spanloom.collector.intake.export import ExportOutcome

_REJECTED = {Signal.SPANS: "rejectedSpans", Signal.CONTENT_EVENTS: "rejectedLogRecords"}
"""What the answer to a request of a signal calls what was refused."""


def encode_response(outcome: ExportOutcome, encoding: Encoding) -> bytes:
    """Return the response message of any signal; a full success is an empty one.

    In protobuf the messages of all signals are the same bytes.
    """
    if outcome.is_full:
        return b"{}" if encoding is Encoding.JSON else b""
    message = clip(outcome.message, MAX_MESSAGE_BYTES)
    if encoding is Encoding.JSON:
        partial = {_REJECTED[outcome.signal]: str(outcome.rejected), "errorMessage": message}
        return orjson.dumps({"partialSuccess": partial})
    response = ExportTraceServiceResponse()
    response.partial_success.rejected_spans = outcome.rejected
    response.partial_success.error_message = message
    return response.SerializeToString()
