"""GenAI content in log records, converted to spans that the spool can hold.

Instrumentations may put messages into log events instead of onto the span: an event for each
message, or one with all of them (OpenTelemetry GenAI semantic conventions since 1.28). Evaluations
and exceptions of calls come as log records too. Such a record becomes a protobuf span of its own.
Its parent is the span it belongs to. Its id is a hash of its content, so that a repeated record has
the same id. Its flags are its position in the request, because some senders set the same time on
all messages of a call. From then on it is handled like a span, with the same limits; the store
keeps content events in a table of their own (``schema/0001_baseline/02_content_events.sql``).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.intake.findings import Findings, Rejection
from spanloom.collector.intake.prescan import scan_request
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ScopeLogs
    from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Span

    from spanloom.collector.intake.limits import Limits

_TRACE_ID_BYTES, _SPAN_ID_BYTES = 16, 8
CONTENT_EVENTS = "gen_ai."
"""Prefix of the events that are kept: messages, details of calls, exceptions, evaluations."""


class ContentEvents(NamedTuple):
    """The content events of a logs request."""

    body: bytes
    """The content events as an ``ExportTraceServiceRequest``; empty if there are none."""
    dropped: int
    """Number of records that are no content events, or belong to no span."""
    findings: Findings
    """Counts of content events with malformed ids."""


def collect_content_events(
    body: bytes, limits: Limits, fingerprint_key: bytes = b""
) -> ContentEvents:
    """Return the content events of an encoded ``ExportLogsServiceRequest``.

    The ids of the events are hashes of their content, keyed if there is a key.

    Raises ``InvalidRequestError`` and ``RequestTooLargeError`` as a trace request would.
    """
    records = scan_request(body, limits)
    try:
        logs = ExportLogsServiceRequest.FromString(body)
    except DecodeError as error:
        raise InvalidRequestError("The request is not a valid ExportLogsServiceRequest.") from error
    request = ExportTraceServiceRequest()
    findings = Findings()
    kept = 0
    for of_resource in logs.resource_logs:
        group = request.resource_spans.add(resource=of_resource.resource)
        for of_scope in of_resource.scope_logs:
            spans = group.scope_spans.add(scope=of_scope.scope)
            for record, name in _content_of(of_scope):
                if rejection := _fault(record):
                    findings.rejections[rejection] += 1
                else:
                    _add(record, name, kept, spans, fingerprint_key)
                    kept += 1
    dropped = records - kept - findings.rejected
    return ContentEvents(request.SerializeToString() if kept else b"", dropped, findings)


def _content_of(logs: ScopeLogs) -> Iterator[tuple[LogRecord, str]]:
    """Yield the content events that belong to a span, with their names."""
    for record in logs.log_records:
        name = record.event_name or _text(record, "event.name")
        if name.startswith(CONTENT_EVENTS) and any(record.trace_id) and any(record.span_id):
            yield record, name


def _fault(record: LogRecord) -> Rejection | None:
    if len(record.trace_id) != _TRACE_ID_BYTES:
        return Rejection.TRACE_ID
    return Rejection.SPAN_ID if len(record.span_id) != _SPAN_ID_BYTES else None


def _add(record: LogRecord, name: str, place: int, spans: ScopeSpans, key: bytes) -> None:
    time_ns = record.time_unix_nano or record.observed_time_unix_nano
    event = spans.spans.add(
        trace_id=record.trace_id,
        parent_span_id=record.span_id,
        name=name,
        start_time_unix_nano=time_ns,
        end_time_unix_nano=time_ns,
        attributes=record.attributes,
    )
    _add_body(record.body, event)
    encoded = event.SerializeToString(deterministic=True)
    event.span_id = hashlib.blake2b(encoded, digest_size=_SPAN_ID_BYTES, key=key).digest()
    event.flags = place


def _text(record: LogRecord, key: str) -> str:
    return next((a.value.string_value for a in record.attributes if a.key == key), "")


def _add_body(body: AnyValue, event: Span) -> None:
    """Add the fields of the body as attributes; a text body as the attribute ``content``."""
    if body.WhichOneof("value") == "string_value":
        event.attributes.add(key="content", value=body)
    event.attributes.extend(body.kvlist_value.values)
