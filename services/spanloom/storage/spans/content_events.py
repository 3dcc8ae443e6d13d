"""Joins content events to their spans, the same in every store."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import Event, Span, TraceKey

_ROLES = (
    "gen_ai.system.message",
    "gen_ai.user.message",
    "gen_ai.assistant.message",
    "gen_ai.tool.message",
    "gen_ai.choice",
)
"""The order of messages in a conversation, where nothing else orders them."""


class ContentEvent(NamedTuple):
    """A stored content event."""

    key: TraceKey
    span_id: str
    event_id: str
    place: int
    """Its index in its request: in JavaScript all messages of a call have the same time."""
    event: Event
    row_version: int


EventsOfTrace = dict[str, dict[str, ContentEvent]]
"""The events of a trace by span and event id."""


def join_events(traces: Mapping[TraceKey, list[Span]], events: Iterable[ContentEvent]) -> None:
    """Append the newest version of each event to the events of its span, in order."""
    by_trace: dict[TraceKey, EventsOfTrace] = {}
    for found in events:
        own = by_trace.setdefault(found.key, {}).setdefault(found.span_id, {})
        known = own.get(found.event_id)
        if known is None or known.row_version <= found.row_version:
            own[found.event_id] = found
    for key, of_trace in by_trace.items():
        if spans := traces.get(key):
            _join(spans, of_trace)


def _join(spans: list[Span], by_span: EventsOfTrace) -> None:
    for at, span in enumerate(spans):
        if own := by_span.pop(span.span_id, None):
            added = tuple(found.event for found in sorted(own.values(), key=_order))
            version = max(found.row_version for found in own.values())
            spans[at] = _raised(span._replace(events=(*span.events, *added)), version)
    if by_span:  # their span may never come: without this they would count as unread for ever
        version = max(found.row_version for own in by_span.values() for found in own.values())
        spans[0] = _raised(spans[0], version)


def _raised(span: Span, version: int) -> Span:
    return span._replace(row_version=max(span.row_version, version))


def _order(found: ContentEvent) -> tuple[int, int, int, str]:
    name = found.event.name
    role = _ROLES.index(name) if name in _ROLES else len(_ROLES)
    return found.event.time_ns, found.place, role, found.event_id
