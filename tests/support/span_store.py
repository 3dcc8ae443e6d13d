"""Shared by tests of span stores: reads names and changes, makes content events."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.otlp_requests import (
    message_of,
    spooled,
    wire_span,
)

from spanloom.core.ports.spans import Signal, SpooledRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.ports.progress import TraceChange


def names(spans: Sequence[Span]) -> list[str]:
    return sorted(span.name for span in spans)


def of_project(changes: Sequence[TraceChange], project: str) -> dict[str, TraceChange]:
    return {c.key.trace_id: c for c in changes if c.key.project == project}


def content_event(
    key: TraceKey,
    span: int,
    text: str,
    time_ns: int,
    name: str = "gen_ai.choice",
    place: int = 0,
    attributes: Mapping[str, str] | None = None,
) -> SpooledRequest:
    """Return a content event as the receiver passes it on; its parent is the span it describes."""
    event_id = zlib.crc32(f"{text} {time_ns} {name}".encode())
    event = wire_span(key.trace_id, event_id, parent=span)
    event.flags = place
    event.name, event.start_time_unix_nano, event.end_time_unix_nano = name, time_ns, time_ns
    del event.attributes[:]
    for attribute, value in {"content": text, **(attributes or {})}.items():
        event.attributes.add(key=attribute).value.string_value = value
    return replace(spooled(message_of([event]), key.project), signal=Signal.CONTENT_EVENTS)


def record_of_agent(
    key: TraceKey, span: int, name: str, time_ns: int, **attributes: str
) -> SpooledRequest:
    """Return a log record of a coding agent as the receiver passes it on, an event of a span."""
    event = wire_span(key.trace_id, zlib.crc32(f"{name} {time_ns}".encode()), parent=span)
    event.name, event.start_time_unix_nano, event.end_time_unix_nano = name, time_ns, time_ns
    del event.attributes[:]
    sender = {"service.name": "claude-code", "otel.scope.name": "com.anthropic"}
    for attribute, text in {"event.name": name, **sender, **attributes}.items():
        event.attributes.add(key=attribute).value.string_value = text
    return replace(spooled(message_of([event]), key.project), signal=Signal.CONTENT_EVENTS)
