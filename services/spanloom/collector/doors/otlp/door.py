"""OTLP over HTTP: paths and response bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from spanloom.collector.doors.door import Accepted, Door, Received
from spanloom.collector.doors.http_messages import Answer
from spanloom.collector.doors.otlp.signals import make_exports
from spanloom.collector.doors.status import MAX_MESSAGE_BYTES, Encoding, clip
from spanloom.core.ports.spans import Signal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.collector.doors.otlp.signals import Export
    from spanloom.collector.intake.export import Exporter, ExportOutcome
    from spanloom.collector.intake.limits import Limits


_REJECTED = {Signal.SPANS: "rejectedSpans", Signal.CONTENT_EVENTS: "rejectedLogRecords"}
"""By signal, the response field that counts rejected items."""


def encode_response(outcome: ExportOutcome, encoding: Encoding) -> bytes:
    """Return the response message of any signal, empty for full success.

    In protobuf the response messages of all signals have the same bytes.
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


def make_otlp_doors(exporter: Exporter, limits: Limits) -> Mapping[str, Door]:
    """Return the OTLP endpoints, by path."""
    doors = {
        signal: _door(signal, export) for signal, export in make_exports(exporter, limits).items()
    }
    return {
        **{f"/v1/{signal}": door for signal, door in doors.items()},
        "/v1/loop/opentelemetry/v1/traces": doors["traces"],
        "/api/public/otel/v1/traces": doors["traces"],
    }


def _door(signal: str, export: Export) -> Door:
    def take(request: Received) -> Accepted:
        encoding = request.head.answer_encoding
        outcome = export(request.body, encoding, request.project)
        return Accepted(Answer(200, encode_response(outcome, encoding)), outcome.name)

    return Door(signal, take)
