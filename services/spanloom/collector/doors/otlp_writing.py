"""Writes OTLP protobuf from the JSON of other ingestion APIs.

Requests to these APIs are small compared with OTLP requests, so the generated protobuf classes are
fast enough. A value keeps its type if OTLP has that type; objects and arrays become JSON text;
``null`` is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Span

_INT64 = 2**63
_UINT64 = 2**64
NS_PER_US = 1_000
_NO_ID = b"?"


class RequestWriter:
    """Writes an OTLP request with one scope, and with a resource for each service."""

    def __init__(self, scope: str) -> None:
        """Start an empty request; ``scope`` is the instrumentation scope of every span."""
        self._request = ExportTraceServiceRequest()
        self._scope = scope
        self._by_service: dict[str, ScopeSpans] = {}

    def add_span(self, service: str) -> Span:
        """Add an empty span to the service's resource; an empty name sets no ``service.name``."""
        if service not in self._by_service:
            resource = self._request.resource_spans.add()
            if service:
                put(resource.resource.attributes.add(), "service.name", service)
            self._by_service[service] = resource.scope_spans.add()
            self._by_service[service].scope.name = self._scope
        return self._by_service[service].spans.add()

    def encode(self) -> bytes:
        """Return the request's bytes."""
        return self._request.SerializeToString()


def put_attribute(span: Span, key: str, value: object) -> None:
    """Set an attribute; ``None`` and an empty text are left out."""
    if value is not None and value != "":
        put(span.attributes.add(), key, value)


def put(entry: KeyValue, key: str, value: object) -> None:
    """Write a key and its value into an attribute."""
    entry.key = key
    if isinstance(value, str):
        entry.value.string_value = value
    elif isinstance(value, bool):
        entry.value.bool_value = value
    elif isinstance(value, int) and -_INT64 <= value < _INT64:
        entry.value.int_value = value
    elif isinstance(value, float):
        entry.value.double_value = value
    else:
        entry.value.string_value = as_text(value)


def as_text(value: object) -> str:
    """Return a text unchanged and any other value as JSON.

    Raises ``InvalidRequestError`` if the value is nested too deeply to be written.
    """
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError as error:
        raise InvalidRequestError(f"A value cannot be written as JSON: {error}.") from error


def as_nanoseconds(micros: object, field: str) -> int:
    """Return microseconds as nanoseconds; raises ``InvalidRequestError`` naming the field."""
    if isinstance(micros, bool) or not isinstance(micros, int):
        raise InvalidRequestError(f"{field}: must be an integer.")
    nanoseconds = micros * NS_PER_US
    if not 0 <= nanoseconds < _UINT64:
        raise InvalidRequestError(f"{field}: is out of range.")
    return nanoseconds


def as_id(text: object) -> bytes:
    """Return the bytes of a hex id; for any other value one byte, which validation rejects."""
    try:
        return bytes.fromhex(text) if isinstance(text, str) else _NO_ID
    except ValueError:
        return _NO_ID
