"""Converts log records about agent runs to protobuf spans, the form that the spool stores.

Instrumentations may put messages into log events instead of span attributes: one event for each
message, or one with all messages (OpenTelemetry GenAI semantic conventions since 1.28). Evaluation
results and exceptions of operations arrive as log records too. Each such record becomes a content
event, encoded as a protobuf span. Its parent id is the id of the span that the record names; its id
is a hash of its content, so that a record sent twice has the same id; its flags are its position in
the request, because some senders set one time for all messages of a model call. Later code handles
it like a span, with the same limits, but the store has a separate table for content events
(``schema/0001_baseline/02_content_events.sql``).

Coding agents report their activity as log records (``core/conventions/agent_logs.py``). Records
that name a span become content events too; the other records become spans (``log_spans.py``).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from spanloom.collector.doors.otlp.log_spans import (
    Collected,
    Origin,
    derive_trace_id,
    describe,
    mark_bridged,
    mark_sender,
    texts_of,
    time_of,
)
from spanloom.collector.intake.findings import Findings, Rejection
from spanloom.collector.intake.prescan import scan_request
from spanloom.core.conventions.agent_logs import (
    EVENT_NAME,
    SERVICE_NAME,
    is_kept,
    may_be_kept,
    name_log,
    start_of,
)
from spanloom.core.conventions.evaluations import RESPONSE_ID, RESULT, trace_of_response
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.intake.limits import Limits

_TRACE_ID_BYTES, _SPAN_ID_BYTES = 16, 8
CONTENT_EVENTS = "gen_ai."
"""Prefix of the names of stored events: messages, call details, exceptions, evaluations."""


class ContentEvents(NamedTuple):
    """The log records of a request to be stored, as encoded spans, and counts of the others."""

    body: bytes
    """The content events as an ``ExportTraceServiceRequest``; empty if there are none."""
    dropped: int
    """Number of records that are not about a run, or name neither a span nor a conversation."""
    findings: Findings
    """Counts of rejected records, such as records with malformed ids."""
    spans: bytes = b""
    """Coding agents' records without a span id, as an ``ExportTraceServiceRequest``, or empty."""
    withheld: int = 0
    """Number of events left out because they have only content and no content is stored."""


def collect_content_events(
    body: bytes, limits: Limits, fingerprint_key: bytes = b"", *, stores_content: bool = True
) -> ContentEvents:
    """Return the records to store from an encoded ``ExportLogsServiceRequest``.

    Their ids are hashes of their content, computed with ``fingerprint_key`` if it is not empty. If
    content is not stored, GenAI events are left out, because they have nothing but content; events
    of coding agents are stored.

    Raises ``InvalidRequestError`` and ``RequestTooLargeError`` like a trace request.
    """
    records = scan_request(body, limits)
    try:
        logs = ExportLogsServiceRequest.FromString(body)
    except DecodeError as error:
        raise InvalidRequestError("The request is not a valid ExportLogsServiceRequest.") from error
    sorting = _Sorting(fingerprint_key, stores_content)
    for of_resource in logs.resource_logs:
        sorting.sort(of_resource)
    return sorting.result(records)


class _Sorting:
    """Sorts the records in one request into content events and spans, and drops the others."""

    def __init__(self, key: bytes, stores_content: bool) -> None:
        self._key = key
        self._stores_content = stores_content
        self._events, self._spans = Collected(), Collected()
        self._findings = Findings()
        self._withheld = 0

    def sort(self, of_resource: ResourceLogs) -> None:
        """Add each record of a resource to the events or to the spans, or drop it."""
        service = texts_of(of_resource.resource.attributes).get(SERVICE_NAME, "")
        for of_scope in of_resource.scope_logs:
            origin = Origin(of_resource, of_scope, service)
            for record in of_scope.log_records:
                name = record.event_name or _text(record, EVENT_NAME)
                if name.startswith(CONTENT_EVENTS):
                    self._content(record, name, origin)
                else:
                    self._of_agent(record, origin)

    def result(self, records: int) -> ContentEvents:
        """Return the sorted records; ``records`` is the number of records in the request."""
        kept = self._events.count + self._spans.count + self._withheld
        dropped = records - kept - self._findings.rejected
        return ContentEvents(
            *(self._events.encoded(), dropped, self._findings),
            *(self._spans.encoded(), self._withheld),
        )

    def _content(self, record: LogRecord, name: str, origin: Origin) -> None:
        """Add a record with GenAI content as an event; drop it if it names no span."""
        if name == RESULT:
            self._result(record, origin)
            return
        if not (any(record.trace_id) and any(record.span_id)) or self._is_faulty(record):
            return
        if not self._stores_content:
            self._withheld += 1
            return
        event = self._events.add(origin)
        event.name = name
        event.attributes.extend(record.attributes)
        _add_body(record.body, event)
        self._place(event, record, record.time_unix_nano or record.observed_time_unix_nano)

    def _result(self, record: LogRecord, origin: Origin) -> None:
        """Add an evaluation result, from which the extractor makes a score.

        The result may name a trace without a span. If it names no trace, its trace id is derived
        from its response id, by which the extractor finds the run with that response. A result with
        neither id is rejected.
        """
        if self._is_faulty(record):
            return
        trace_id = record.trace_id if any(record.trace_id) else _waiting_place(record)
        if not trace_id:
            self._findings.rejections[Rejection.NO_TARGET] += 1
            return
        event = self._events.add(origin)
        event.name = RESULT
        event.attributes.extend(record.attributes)
        _add_body(record.body, event)
        mark_sender(event, origin)
        has_span = any(record.trace_id) and any(record.span_id)
        event.trace_id, event.parent_span_id = trace_id, record.span_id if has_span else b""
        self._identify(event, record.time_unix_nano or record.observed_time_unix_nano)

    def _of_agent(self, record: LogRecord, origin: Origin) -> None:
        """Add a coding agent's record as an event of its span, or as a span; drop other records."""
        names = _text(record, EVENT_NAME), record.event_name, record.body.string_value
        name = name_log(names, origin.scope)
        if not may_be_kept(name) or not is_kept(name, texts := texts_of(record.attributes)):
            return
        time_ns = time_of(record, texts)
        if any(record.trace_id):
            trace_id = record.trace_id
        else:
            trace_id = derive_trace_id(origin.service, name, texts, time_ns, self._key)
        if not trace_id or self._is_faulty(record):
            return
        if any(record.trace_id) and any(record.span_id):
            event = describe(record, name, texts, self._events.add(origin))
            mark_sender(event, origin)
            self._place(event, record, time_ns)
        else:
            span = describe(record, name, texts, self._spans.add(origin))
            mark_bridged(span)
            span.trace_id = trace_id
            span.start_time_unix_nano, span.end_time_unix_nano = start_of(time_ns, texts), time_ns
            span.span_id = self._fingerprint(span)

    def _place(self, event: Span, record: LogRecord, time_ns: int) -> None:
        """Set the trace and span of an event, its id, and its position in the request."""
        event.trace_id, event.parent_span_id = record.trace_id, record.span_id
        self._identify(event, time_ns)

    def _identify(self, event: Span, time_ns: int) -> None:
        """Set time, id and position of an event whose other fields are set."""
        event.start_time_unix_nano = event.end_time_unix_nano = time_ns
        event.span_id = self._fingerprint(event)
        event.flags = self._events.count - 1

    def _fingerprint(self, span: Span) -> bytes:
        encoded = span.SerializeToString(deterministic=True)
        return hashlib.blake2b(encoded, digest_size=_SPAN_ID_BYTES, key=self._key).digest()

    def _is_faulty(self, record: LogRecord) -> bool:
        rejection = _fault(record)
        if rejection:
            self._findings.rejections[rejection] += 1
        return rejection is not None


def _fault(record: LogRecord) -> Rejection | None:
    """Return why a record's ids are malformed; ``None`` if they are valid or absent."""
    if any(record.trace_id) and len(record.trace_id) != _TRACE_ID_BYTES:
        return Rejection.TRACE_ID
    is_malformed = any(record.span_id) and len(record.span_id) != _SPAN_ID_BYTES
    return Rejection.SPAN_ID if is_malformed else None


def _waiting_place(record: LogRecord) -> bytes:
    """Return the trace id derived from a result's response id; empty if it has no response id."""
    response_id = _text(record, RESPONSE_ID)
    return bytes.fromhex(trace_of_response(response_id)) if response_id else b""


def _text(record: LogRecord, key: str) -> str:
    return next((a.value.string_value for a in record.attributes if a.key == key), "")


def _add_body(body: AnyValue, event: Span) -> None:
    """Add the fields of the body as attributes; a text body as the attribute ``content``."""
    if body.WhichOneof("value") == "string_value":
        event.attributes.add(key="content", value=body)
    event.attributes.extend(body.kvlist_value.values)
