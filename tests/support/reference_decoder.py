"""Decodes requests with the stock opentelemetry-proto classes: a slow, simple reference.

The in-memory store decodes with it; the tests compare ClickHouse's rows with its results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from tests.support.stored_texts import last_of_each_key, texts_of

from spanloom.core.errors import StoreRejectedError
from spanloom.core.model.span import Event, Link, Span, TraceKey
from spanloom.storage.spans.otlp import KINDS, STATUS_CODES
from spanloom.storage.spans.values import attribute_lists, own_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.ports.spans import SpooledRequest

_NO_PARENT = bytes(8)


class DecodedSpan(NamedTuple):
    """A span with its project and its message, without repeated keys and Spanloom's own fields."""

    project: str
    span: Span
    message: ResourceSpans
    """Resource, scope and this one span."""

    @property
    def key(self) -> TraceKey:
        """The trace of the span."""
        return TraceKey(self.project, self.span.trace_id)


def decode_request(request: SpooledRequest) -> Iterator[DecodedSpan]:
    """Yield every span of a request; raise ``StoreRejectedError`` if it is not OTLP."""
    try:
        message = ExportTraceServiceRequest.FromString(request.body)
    except DecodeError as error:
        raise StoreRejectedError("the request is not valid OTLP protobuf") from error
    for resource_spans in message.resource_spans:
        resource = texts_of(resource_spans.resource.attributes)
        project = own_text(resource_spans)
        for scope_spans in resource_spans.scope_spans:
            for wire in scope_spans.spans:
                span = _span_of(wire, scope_spans, resource, request.seq)
                yield DecodedSpan(project, span, _cleaned(resource_spans, scope_spans, wire))


def _span_of(wire: WireSpan, group: ScopeSpans, resource: dict[str, str], seq: int) -> Span:
    return Span(
        trace_id=wire.trace_id.hex(),
        span_id=wire.span_id.hex(),
        parent_span_id="" if wire.parent_span_id == _NO_PARENT else wire.parent_span_id.hex(),
        name=wire.name,
        kind=_name_of(wire.kind, KINDS),
        start_ns=wire.start_time_unix_nano,
        end_ns=wire.end_time_unix_nano,
        status_code=_name_of(wire.status.code, STATUS_CODES),
        status_message=wire.status.message,
        service_name=resource.get("service.name", ""),
        scope_name=group.scope.name,
        scope_version=group.scope.version,
        attributes=texts_of(wire.attributes),
        events=tuple(
            Event(event.time_unix_nano, event.name, texts_of(event.attributes))
            for event in wire.events
        ),
        links=tuple(
            Link(link.trace_id.hex(), link.span_id.hex(), texts_of(link.attributes))
            for link in wire.links
        ),
        row_version=seq,
        environment=resource.get("deployment.environment.name", "")
        or resource.get("deployment.environment", ""),
        release=resource.get("service.version", "") or resource.get("vcs.ref.head.revision", ""),
    )


def _name_of(number: int, names: tuple[str, ...]) -> str:
    return names[number] if 0 <= number < len(names) else str(number)


def _cleaned(resource_spans: ResourceSpans, group: ScopeSpans, wire: WireSpan) -> ResourceSpans:
    """Return the message of one span in the form in which the store must return it."""
    out = ResourceSpans(resource=resource_spans.resource, schema_url=resource_spans.schema_url)
    scope_spans = out.scope_spans.add(scope=group.scope, schema_url=group.schema_url)
    span = scope_spans.spans.add()
    span.CopyFrom(wire)
    if span.parent_span_id == _NO_PARENT:
        span.parent_span_id = b""
    for attributes in attribute_lists(out):
        kept = [KeyValue(key=k, value=v) for k, v in last_of_each_key(attributes).items()]
        del attributes[:]
        attributes.extend(kept)
    out.DiscardUnknownFields()
    return out
