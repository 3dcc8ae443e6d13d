"""Converts coding agents' log records to spans: times, ids and attributes.

A record with a trace id and a span id becomes an event of that span. A record without a span id
becomes a separate span, in the form in which Qwen Code's bridge sends its records: the span has the
name of the event and the attribute ``log.bridge``, and ends at the record's time, ``duration_ms``
after its start. If the record has no trace id either, the trace id is a hash of service,
conversation and prompt.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from spanloom.core.conventions.agent_logs import (
    BRIDGED,
    CONVERSATION_KEYS,
    EVENT_NAME,
    PROMPT_KEYS,
    SCOPE_NAME,
    SERVICE_NAME,
    is_name,
)
from spanloom.core.conventions.agent_records import What, what_is_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

_TRACE_ID_BYTES = 16
_SECOND_NS = 1_000_000_000
_COUNTED = re.compile(r"[\W\d_]*")
"""Matches a prompt's id, from which the conversation's id was removed, if only a number is left."""


class Origin(NamedTuple):
    """The resource and the scope that sent a record."""

    of_resource: ResourceLogs
    of_scope: ScopeLogs
    service: str

    @property
    def scope(self) -> str:
        """The name of the scope."""
        return self.of_scope.scope.name


class Collected:
    """A request of log records encoded as spans, with only the resources and scopes they need."""

    def __init__(self) -> None:
        """Start without records."""
        self.count = 0
        self._request = ExportTraceServiceRequest()
        self._last: Origin | None = None

    def add(self, origin: Origin) -> Span:
        """Add an empty span to a resource and scope; calls must be grouped by ``origin``."""
        groups, last = self._request.resource_spans, self._last
        if last is not origin:
            if last is None or last.of_resource is not origin.of_resource:
                groups.add(resource=origin.of_resource.resource)
            groups[-1].scope_spans.add(scope=origin.of_scope.scope)
            self._last = origin
        self.count += 1
        return groups[-1].scope_spans[-1].spans.add()

    def encoded(self) -> bytes:
        """Return the encoded request; empty if there are no records."""
        return self._request.SerializeToString() if self.count else b""


def texts_of(attributes: Iterable[KeyValue]) -> dict[str, str]:
    """Return the values of attributes that are texts, numbers or booleans, converted to text."""
    return {a.key: _text(a.value) for a in attributes}


def time_of(record: LogRecord, texts: Mapping[str, str]) -> int:
    """Return the time of a record in ns since the epoch; 0 if none is set.

    The record's time has priority, then its observed time, then its attribute ``event.timestamp``.
    """
    if time_ns := record.time_unix_nano or record.observed_time_unix_nano:
        return time_ns
    try:
        return max(round(datetime.fromisoformat(texts["event.timestamp"]).timestamp() * 1e9), 0)
    except (KeyError, ValueError, OverflowError):
        return 0


def derive_trace_id(
    service: str, name: str, texts: Mapping[str, str], time_ns: int, key: bytes
) -> bytes:
    """Return the trace id of a record's prompt; empty if it names neither conversation nor prompt.

    Some senders use the session's id, or a number within the session, as ids of prompts. In that
    case each prompt has its own trace, and other records of the same second share a trace, because
    their time decides to which run they belong.
    """
    conversation, prompt = _first(texts, CONVERSATION_KEYS), _first(texts, PROMPT_KEYS)
    if not conversation and not prompt:
        return b""
    part = prompt
    if not _is_unique(prompt, conversation):
        is_prompt = what_is_named(name) is What.PROMPT
        part += f" asked at {time_ns}" if is_prompt else f" at {time_ns // _SECOND_NS}"
    named = "\0".join((service, conversation, part)).encode(errors="surrogatepass")
    return hashlib.blake2b(named, digest_size=_TRACE_ID_BYTES, key=key).digest()


def _is_unique(prompt: str, conversation: str) -> bool:
    """Return whether a prompt's id contains more than the conversation's id and a number."""
    return not _COUNTED.fullmatch(prompt.removeprefix(conversation))


def describe(record: LogRecord, name: str, texts: Mapping[str, str], span: Span) -> Span:
    """Set a span's name and attributes from a record, and return the span.

    ``name`` has the sender's prefix (``claude_code.tool_result``), and becomes ``event.name`` too.
    If the record's body is a map, its entries become attributes; if it is a text other than the
    name of an event, it becomes the attribute ``body``.
    """
    span.name = name
    span.attributes.extend(a for a in record.attributes if a.key != EVENT_NAME)
    span.attributes.add(key=EVENT_NAME, value=AnyValue(string_value=name))
    body = record.body
    if body.WhichOneof("value") == "kvlist_value":
        span.attributes.extend(v for v in body.kvlist_value.values if v.key not in texts)
    elif body.string_value and "body" not in texts and not is_name(body.string_value):
        span.attributes.add(key="body", value=body)
    return span


def mark_sender(span: Span, origin: Origin) -> None:
    """Set service and scope as attributes of an event, which is stored without its resource.

    If the event's span never arrives, the event is shown as a span of this sender.
    """
    for key, text in ((SERVICE_NAME, origin.service), (SCOPE_NAME, origin.scope)):
        if text:
            span.attributes.add(key=key, value=AnyValue(string_value=text))


def mark_bridged(span: Span) -> None:
    """Set the attribute ``log.bridge``, which marks a span as made from a log record."""
    span.attributes.add(key=BRIDGED, value=AnyValue(bool_value=True))


def _text(value: AnyValue) -> str:
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return value.string_value
    return str(getattr(value, kind)) if kind in {"int_value", "double_value", "bool_value"} else ""


def _first(texts: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((text for key in keys if (text := texts.get(key))), "")
