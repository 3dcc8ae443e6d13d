"""OTLP over HTTP: paths and bodies. Also the handlers for each signal, which gRPC uses too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from spanloom.collector.doors.door import Accepted, Door, Received
from spanloom.collector.doors.http_messages import Answer
from spanloom.collector.doors.otlp.content_events import collect_content_events
from spanloom.collector.doors.otlp.json import decode_logs, decode_traces, load_json
from spanloom.collector.doors.status import MAX_MESSAGE_BYTES, Encoding, clip
from spanloom.collector.intake.export import ExportOutcome
from spanloom.collector.intake.prescan import scan_request
from spanloom.core.errors import InvalidRequestError
from spanloom.core.ports.spans import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from google.protobuf.message import Message

    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits

    Export = Callable[[bytes, Encoding, str], ExportOutcome]
    """Handles an export request: decompressed body, encoding, project of the API key."""


def count_metrics(body: bytes, encoding: Encoding, limits: Limits) -> int:
    """Return the number of metrics in a request; raises the same errors as a trace request."""
    if encoding is Encoding.JSON:
        return _count_json(body, ("resourceMetrics", "scopeMetrics", "metrics"), limits)
    return _count_protobuf(body, ExportMetricsServiceRequest, limits)


def _count_protobuf(body: bytes, kind: type[Message], limits: Limits) -> int:
    items = scan_request(body, limits)
    try:
        kind.FromString(body)
    except DecodeError as error:
        raise InvalidRequestError(f"The request is not a valid {kind.__name__}.") from error
    return items


def _count_json(body: bytes, path: tuple[str, ...], limits: Limits) -> int:
    level: list[object] = [load_json(body, limits)]
    for name in path:
        level = [inner for outer in level for inner in _inner(outer, name)]
    return len(level)


def _inner(outer: object, name: str) -> Iterator[object]:
    """Yield the elements of the list ``name``; ``null`` counts as an absent list."""
    elements = outer.get(name) if isinstance(outer, dict) else None
    if elements is not None and not isinstance(elements, list):
        raise InvalidRequestError(f"{name}: must be an array.")
    yield from elements or []


def make_exports(exporter: Exporter, limits: Limits) -> Mapping[str, Export]:
    """Return the handlers of export requests, keyed by signal; the handlers block.

    They raise ``InvalidRequestError``, ``RequestTooLargeError`` and ``OverloadedError``.
    """

    def export_traces(body: bytes, encoding: Encoding, project: str) -> ExportOutcome:
        if encoding is Encoding.JSON:
            body = decode_traces(body, limits)
        return exporter.export_traces(body, project)

    def export_logs(body: bytes, encoding: Encoding, project: str) -> ExportOutcome:
        if encoding is Encoding.JSON:
            body = decode_logs(body, limits)
        found = collect_content_events(
            body, limits, exporter.fingerprint_key, stores_content=exporter.stores_content
        )
        exporter.count_dropped("logs", found.dropped)
        exporter.count_withheld(found.withheld)
        return exporter.export_logs(found.body, found.spans, found.findings, project)

    def drop_metrics(body: bytes, encoding: Encoding, _project: str) -> ExportOutcome:
        exporter.count_dropped("metrics", count_metrics(body, encoding, limits))
        return ExportOutcome()

    return {"traces": export_traces, "logs": export_logs, "metrics": drop_metrics}


_REJECTED = {Signal.SPANS: "rejectedSpans", Signal.CONTENT_EVENTS: "rejectedLogRecords"}
"""The response field that counts rejected items, keyed by signal."""


def encode_response(outcome: ExportOutcome, encoding: Encoding) -> bytes:
    """Return the encoded response message; empty for full success.

    In protobuf the response messages for all signals have the same encoding.
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
    """Return the OTLP endpoints, keyed by path."""
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
