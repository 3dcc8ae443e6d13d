"""Export requests for store tests, in the form that the receiver passes on."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from spanloom.collector.intake.findings import Findings
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.tenancy import resolve_project, write_projects
from spanloom.collector.intake.validate import validate_request
from spanloom.core.ports.spans import SpooledRequest
from spanloom.storage.spans.values import all_attributes
from spanloom.wire.receive_pb2 import TraceRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

START_NS = 1_763_600_000_000_000_000
_seqs = itertools.count(time.time_ns() // 1000)


def next_seq() -> int:
    """Return a sequence number above all earlier ones, as a spool does."""
    return next(_seqs)


def key_value(key: str, value: object) -> KeyValue:
    """Return a string, bool, int, double or bytes attribute."""
    arms = {str: "string_value", bool: "bool_value", int: "int_value", float: "double_value"}
    return KeyValue(key=key, value=AnyValue(**{arms.get(type(value), "bytes_value"): value}))  # type: ignore[arg-type]  # by arm


def with_projects(body: bytes, key_project: str = "") -> bytes:
    """Return a request as written into the spool, without validating it."""
    resources = TraceRequest.FromString(body).resource_spans
    found = Findings()
    projects = [resolve_project(key_project, r.resource.attributes, found) for r in resources]
    return write_projects(body, projects)


def wire_span(
    trace_id: str,
    number: int,
    parent: int = 0,
    name: str = "step",
    start_ns: int = START_NS,
    attributes: Mapping[str, object] | None = None,
) -> WireSpan:
    """Return a span whose id is a number; parent 0 makes it a root."""
    return WireSpan(
        trace_id=bytes.fromhex(trace_id),
        span_id=number.to_bytes(8, "big"),
        parent_span_id=parent.to_bytes(8, "big") if parent else b"",
        name=name,
        kind=WireSpan.SPAN_KIND_INTERNAL,
        start_time_unix_nano=start_ns,
        end_time_unix_nano=start_ns + 1000,
        attributes=[key_value(k, v) for k, v in (attributes or {}).items()],
    )


def message_of(
    spans: Iterable[WireSpan], resource: Mapping[str, object] | None = None
) -> ExportTraceServiceRequest:
    """Return an export request of one resource and one scope."""
    message = ExportTraceServiceRequest()
    group = message.resource_spans.add()
    group.resource.attributes.extend(key_value(k, v) for k, v in (resource or {}).items())
    scope_spans = group.scope_spans.add()
    scope_spans.scope.name, scope_spans.scope.version = "tests", "1"
    scope_spans.spans.extend(spans)
    return message


def spooled(
    message: ExportTraceServiceRequest | bytes, project: str = "", seq: int = 0
) -> SpooledRequest:
    """Return a request as the spool passes it to the store: validated, numbered, accepted now."""
    body = message if isinstance(message, bytes) else message.SerializeToString()
    valid = validate_request(body, Limits(), project)
    seq = seq or next_seq()
    return SpooledRequest(seq, project, START_NS + seq % 10**9, valid.body, valid.span_count)


def spans_apart(otlp: bytes) -> dict[bytes, bytes]:
    """Return traces data as one message per span, by span id, however the spans were grouped."""
    found = {}
    for group in TracesData.FromString(otlp).resource_spans:
        for scope_spans in group.scope_spans:
            for span in scope_spans.spans:
                alone = TracesData()
                part = alone.resource_spans.add(
                    resource=group.resource, schema_url=group.schema_url
                )
                part.scope_spans.add(
                    scope=scope_spans.scope, schema_url=scope_spans.schema_url, spans=[span]
                )
                _fill_empty(alone)
                found[span.span_id] = alone.SerializeToString(deterministic=True)
    return found


def _fill_empty(data: TracesData) -> None:
    """Make unset sub-messages equal to empty ones, and remove unknown fields from values."""
    data.DiscardUnknownFields()
    part = data.resource_spans[0]
    part.resource.SetInParent()
    scope = part.scope_spans[0]
    scope.scope.SetInParent()
    span = scope.spans[0]
    span.status.SetInParent()
    for attribute in all_attributes(part):
        attribute.value.SetInParent()
