"""Spans with which a coding agent reports its calls and tools: their log records repeat them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as told
from spanloom.core.conventions.agent_events import What, is_bare
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

CALLS = frozenset({"claude_code.llm_request", "llm_call", "try_run_sampling_request"})
"""Names of the spans of model calls."""
_TOOLS = frozenset({"claude_code.tool", "tool_call"})
_AGENTS = frozenset({"claude_code.interaction", "session_task.turn", "agent_call"})
DISPATCH = "codex.tool.phase"
"""Attribute of the spans of Codex's tools, which are named after the tool."""
LATE_NS = 250_000_000
"""How much later than the end of its span a record may be written."""


def list_calls(tree: SpanTree) -> Sequence[Span]:
    """Return the spans of model calls, in order."""
    return [s for s in tree.spans if s.name in CALLS and not is_bare(s)]


def list_tools(tree: SpanTree) -> Sequence[Span]:
    """Return the spans of tools, in order."""
    spans = (s for s in tree.spans if s.name in _TOOLS or DISPATCH in s.attributes)
    return [span for span in spans if not is_bare(span)]


def has_agents(tree: SpanTree) -> bool:
    """Return whether spans report agents."""
    return any(s.name in _AGENTS and not is_bare(s) for s in tree.spans)


def find_call(event: Event, calls: Iterable[Span]) -> Span | None:
    """Return the span of the call of which an event tells: by its id, else by prompt and time."""
    request_id = event.get(told.REQUEST_IDS)
    during = None
    for span in calls:
        own_id = first(span.attributes, *told.REQUEST_IDS)
        if request_id and own_id:
            if request_id == own_id:
                return span
            continue
        if event.holder.span_id == span.span_id or _is_during(event, span):
            during = span
    return during


def _is_during(event: Event, span: Span) -> bool:
    if not _is_in_time(event, span, 0 if event.what is What.REQUEST else LATE_NS):
        return False
    ours, theirs = event.get(told.PROMPT_IDS), first(span.attributes, *told.PROMPT_IDS)
    return ours == theirs or not ours or not theirs


def _is_in_time(event: Event, span: Span, late_ns: int) -> bool:
    return span.start_ns <= event.time_ns <= span.end_ns + late_ns


def find_tool(event: Event, tools: Iterable[Span]) -> Span | None:
    """Return the span of the tool of which an event tells: by the call's id, else name and time."""
    call_id = event.get(told.CALL_IDS)
    during = None
    for span in tools:
        own_id = first(span.attributes, *told.CALL_IDS)
        if call_id and own_id:
            if call_id == own_id:
                return span
            continue
        names = {span.attributes.get(key) for key in told.TOOLS}
        if event.get(told.TOOLS) in names and _is_in_time(event, span, LATE_NS):
            during = span
    return during
