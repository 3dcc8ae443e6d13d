"""Converts log records that report facts of runs to spans that the spool can hold.

Instrumentations may put messages into log events instead of onto the span: an event for each
message, or one with all of them (OpenTelemetry GenAI semantic conventions since 1.28). Evaluations
and exceptions of calls arrive as log records too. Such a record becomes a separate protobuf span.
Its parent is the span that it belongs to. Its id is a hash of its content, so that a repeated
record has the same id. Its flags are its position in the request, because some senders set the same
time on all messages of a call. From then on it is handled like a span, with the same limits; the
store has a separate table for content events (``schema/0001_baseline/02_content_events.sql``).

Coding agents report their activity as log records (``core/conventions/agent_logs.py``). Records
with a span become events like the others; records without a span become spans (``log_spans.py``).
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
"""Prefix of the events that are stored: messages, details of calls, exceptions, evaluations."""


class ContentEvents(NamedTuple):
    """The log records of a request that are stored."""

    body: bytes
    """The events of spans as an ``ExportTraceServiceRequest``; empty if there are none."""
    dropped: int
    """Number of records without facts of a run, or without a span and a conversation."""
    findings: Findings
    """Counts of stored records with malformed ids."""
    spans: bytes = b""
    """Records of coding agents without a span id, as spans; empty if there are none."""
    withheld: int = 0
    """Number of events that only have content, if no content is stored."""


def collect_content_events(
    body: bytes, limits: Limits, fingerprint_key: bytes = b"", *, stores_content: bool = True
) -> ContentEvents:
    """Return the records to store of an encoded ``ExportLogsServiceRequest``.

    Their ids are hashes of their content, keyed if there is a key. If content is not stored, GenAI
    events are left out, because they have only content; events of coding agents have more.

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
    """Sorts the records of one request."""

    def __init__(self, key: bytes, stores_content: bool) -> None:
        self._key = key
        self._stores_content = stores_content
        self._events, self._spans = Collected(), Collected()
        self._findings = Findings()
        self._withheld = 0

    def sort(self, of_resource: ResourceLogs) -> None:
        """Add the records of a resource to events, to spans, or to neither."""
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
        """Return the result of sorting this many records."""
        kept = self._events.count + self._spans.count + self._withheld
        dropped = records - kept - self._findings.rejected
        return ContentEvents(
            *(self._events.encoded(), dropped, self._findings),
            *(self._spans.encoded(), self._withheld),
        )

    def _content(self, record: LogRecord, name: str, origin: Origin) -> None:
        """Add an event with GenAI content; drop it if it has no span."""
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
        """Add an evaluation result, of which the extractor makes a score.

        It may name only a trace. Without a trace it waits under an id derived from its response id,
        by which the run of that response is found; without either it is rejected.
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
        """Add a record of a coding agent, as an event of its span or as a span; drop any other."""
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
        """Set the time, id and position of an event that is otherwise complete."""
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
    """Return the fault in a record's ids; ``None`` if there is none, or if ids are absent."""
    if any(record.trace_id) and len(record.trace_id) != _TRACE_ID_BYTES:
        return Rejection.TRACE_ID
    is_malformed = any(record.span_id) and len(record.span_id) != _SPAN_ID_BYTES
    return Rejection.SPAN_ID if is_malformed else None


def _waiting_place(record: LogRecord) -> bytes:
    """Return the id under which a result with a response id waits; empty if it has none."""
    response_id = _text(record, RESPONSE_ID)
    return bytes.fromhex(trace_of_response(response_id)) if response_id else b""


def _text(record: LogRecord, key: str) -> str:
    return next((a.value.string_value for a in record.attributes if a.key == key), "")


def _add_body(body: AnyValue, event: Span) -> None:
    """Add the fields of the body as attributes; a text body as the attribute ``content``."""
    if body.WhichOneof("value") == "string_value":
        event.attributes.add(key="content", value=body)
    event.attributes.extend(body.kvlist_value.values)
