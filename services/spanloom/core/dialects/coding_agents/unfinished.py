"""Finds tool calls that were permitted but never ended, because the program was stopped.

A tool's span is sent only when the tool ends, so the permission event is the only record of the
call. This event is turned into a log record that belongs to no span, so that it becomes a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_logs import as_span
from spanloom.core.conventions.agent_records import What, what_is_named
from spanloom.core.dialects.coding_agents.attempts import made_id
from spanloom.core.dialects.coding_agents.reported import is_tool
from spanloom.core.dialects.coding_agents.tools import is_refused
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.span import Event, Span


def list_unfinished(spans: Sequence[Span]) -> Sequence[Span]:
    """Return a span for each tool call that was permitted but never reported.

    A permission event exists for the call, but neither a span nor a log record of the tool run.
    """
    decided = [(span, event) for span in spans if span.events for event in _decisions(span)]
    if not decided:
        return ()
    ended = set(_ended(spans))
    found: dict[str, Span] = {}
    for span, event in decided:
        call_id = first(event.attributes, *keys.CALL_IDS)
        if call_id and call_id not in ended and not is_refused(event.attributes):
            found[call_id] = _as_record(span, event, call_id)
    return list(found.values())


def _decisions(span: Span) -> Iterator[Event]:
    return (event for event in span.events if what_is_named(event.name) is What.DECISION)


def _ended(spans: Sequence[Span]) -> Iterator[str]:
    """Yield the ids of the tool calls whose runs spans or records report."""
    for span in spans:
        if is_tool(span) or what_is_named(keys.name_of(span)) is What.TOOL:
            yield first(span.attributes, *keys.CALL_IDS)
        for event in span.events:
            if what_is_named(event.name) is What.TOOL:
                yield first(event.attributes, *keys.CALL_IDS)


def _as_record(span: Span, event: Event, call_id: str) -> Span:
    of = (span.trace_id, span.parent_span_id)
    record = as_span(event, made_id(span.span_id, call_id), of, span.row_version)
    return record._replace(
        service_name=span.service_name,
        scope_name=span.scope_name,
        environment=span.environment,
        release=span.release,
    )
