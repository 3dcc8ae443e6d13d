"""Writes what an accepted request is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from spanloom.collector.encoding import Encoding
from spanloom.collector.status import MAX_MESSAGE_BYTES, clip

if TYPE_CHECKING:
    from spanloom.collector.export import ExportOutcome


def encode_response(outcome: ExportOutcome, encoding: Encoding) -> bytes:
    """Give the response message of any signal; a full success is an empty one.

    Only traces are ever taken in part; the full successes of all signals are the same.
    """
    if outcome.is_full:
        return b"{}" if encoding is Encoding.JSON else b""
    message = clip(outcome.message, MAX_MESSAGE_BYTES)
    if encoding is Encoding.JSON:
        partial = {"rejectedSpans": str(outcome.rejected), "errorMessage": message}
        return orjson.dumps({"partialSuccess": partial})
    response = ExportTraceServiceResponse()
    response.partial_success.rejected_spans = outcome.rejected
    response.partial_success.error_message = message
    return response.SerializeToString()
