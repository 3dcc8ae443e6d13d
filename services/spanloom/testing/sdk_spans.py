"""Converts spans of the OpenTelemetry SDK to OTLP JSON."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import UnionType

    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.trace import Link

    from spanloom.core.formats.json_bytes import Json


def group_of(span: ReadableSpan) -> Json:
    """Return an ended span as an item of ``resourceSpans``."""
    scope = span.instrumentation_scope
    named_scope = {"name": scope.name, "version": scope.version or ""} if scope else {}
    return {
        "resource": {"attributes": _attributes(span.resource.attributes)},
        "scopeSpans": [{"scope": named_scope, "spans": [_span(span)]}],
    }


def _span(span: ReadableSpan) -> Json:
    context = span.context
    assert context is not None  # noqa: S101  # every span that was started has one
    return {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        "parentSpanId": f"{span.parent.span_id:016x}" if span.parent else "",
        "name": span.name,
        "kind": span.kind.value + 1,  # OTLP's 0 is "unspecified"
        "startTimeUnixNano": str(span.start_time or 0),
        "endTimeUnixNano": str(span.end_time or 0),
        "attributes": _attributes(span.attributes),
        "events": [_event(event) for event in span.events],
        "links": [_link(link) for link in span.links],
        "status": {
            "code": span.status.status_code.value,
            "message": span.status.description or "",
        },
    }


def _event(event: Event) -> Json:
    return {
        "timeUnixNano": str(event.timestamp),
        "name": event.name,
        "attributes": _attributes(event.attributes),
    }


def _link(link: Link) -> Json:
    return {
        "traceId": f"{link.context.trace_id:032x}",
        "spanId": f"{link.context.span_id:016x}",
        "attributes": _attributes(link.attributes),
    }


def _attributes(given: Mapping[str, Any] | None) -> list[Json]:  # values of attributes
    return [{"key": key, "value": _value(value)} for key, value in (given or {}).items()]


def _value(value: object) -> Json:
    if value is None:
        return {}
    for kind, name, convert in _KINDS:
        if isinstance(value, kind):
            return {name: convert(value)}
    return {"stringValue": str(value)}


_KINDS: Sequence[tuple[type | UnionType, str, Callable[[Any], object]]] = (
    (str, "stringValue", str),
    (bool, "boolValue", bool),  # before int, of which bool is a subclass
    (int, "intValue", str),
    (float, "doubleValue", float),
    (bytes, "bytesValue", lambda value: b64encode(value).decode()),
    (Mapping, "kvlistValue", lambda value: {"values": _attributes(value)}),
    (list | tuple, "arrayValue", lambda value: {"values": [_value(item) for item in value]}),
)
