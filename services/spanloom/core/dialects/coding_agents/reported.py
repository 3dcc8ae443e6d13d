"""Finds the spans of model calls and tools that a coding agent's log records report again."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import is_bare
from spanloom.core.conventions.agent_records import What
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

CALLS = frozenset(
    {
        *("claude_code.llm_request", "qwen-code.llm_request"),
        *("llm_call", "try_run_sampling_request"),
    }
)
"""Names of the spans of model calls."""
_TOOLS = frozenset({"claude_code.tool", "qwen-code.tool", "tool_call"})
_AGENTS = frozenset(
    {
        *("claude_code.interaction", "qwen-code.interaction", "qwen-code.subagent"),
        *("session_task.turn", "agent_call"),
    }
)
DISPATCH = "codex.tool.phase"
"""Attribute on the spans of Codex's tools; the spans themselves are named after the tools."""
MAX_AT_A_TIME = 64
"""The maximum number of overlapping spans of one kind that are searched."""
LATE_NS = 250_000_000
"""A record may be written up to this many nanoseconds after the end of its span."""


def list_calls(tree: SpanTree) -> Sequence[Span]:
    """Return the spans of model calls, in order."""
    return [s for s in tree.spans if s.name in CALLS and not is_bare(s)]


def list_tools(tree: SpanTree) -> Sequence[Span]:
    """Return the spans of tools, in order."""
    return [span for span in tree.spans if is_tool(span)]


def is_tool(span: Span) -> bool:
    """Return whether a span reports the run of a tool."""
    return (span.name in _TOOLS or DISPATCH in span.attributes) and not is_bare(span)


def ids_of_tools(tree: SpanTree) -> set[str]:
    """Return the tool call ids that spans report."""
    return {first(span.attributes, *keys.CALL_IDS) for span in list_tools(tree)}


def has_agents(tree: SpanTree) -> bool:
    """Return whether the trace has spans of agents, not only log records."""
    return any(s.name in _AGENTS and not is_bare(s) for s in tree.spans)


class Reported:
    """An index of the spans of model calls, or of tools, that finds a span by id or by time."""

    def __init__(self, spans: Sequence[Span], ids: Sequence[str]) -> None:
        """Index the spans by the first attribute in ``ids`` that is set; spans must be in order."""
        self._spans, self._ids = spans, ids
        self._starts = [span.start_ns for span in spans]
        self._by_id = {own: span for span in spans if (own := first(span.attributes, *ids))}

    def __bool__(self) -> bool:
        """Return whether there are any spans."""
        return bool(self._spans)

    def find(self, event: Event, fits: Callable[[Event, Span], bool], late_ns: int) -> Span | None:
        """Return the span with the event's id, or else the last matching span at the event's time.

        ``fits(event, span)`` returns whether a span matches. The event may follow the span's end by
        ``late_ns``. A span with another id is never returned.
        """
        own_id = event.get(self._ids)
        if own_id in self._by_id:
            return self._by_id[own_id]
        end = bisect_right(self._starts, event.time_ns)
        for span in reversed(self._spans[max(0, end - MAX_AT_A_TIME) : end]):
            has_other_id = own_id and first(span.attributes, *self._ids)
            is_in_time = event.time_ns <= span.end_ns + late_ns
            if is_in_time and not has_other_id and fits(event, span):
                return span
        return None


def index_calls(tree: SpanTree) -> Reported:
    """Return an index of the spans of model calls."""
    return Reported(list_calls(tree), keys.REQUEST_IDS)


def index_tools(tree: SpanTree) -> Reported:
    """Return an index of the spans of tools."""
    return Reported(list_tools(tree), keys.CALL_IDS)


def find_call(event: Event, calls: Reported) -> Span | None:
    """Return the span of an event's model call, found by request id, or else by prompt and time."""
    return calls.find(event, _is_of_prompt, 0 if event.what is What.REQUEST else LATE_NS)


def _is_of_prompt(event: Event, span: Span) -> bool:
    ours, theirs = event.get(keys.PROMPT_IDS), first(span.attributes, *keys.PROMPT_IDS)
    return ours == theirs or not ours or not theirs


def find_tool(event: Event, tools: Reported) -> Span | None:
    """Return the span of an event's tool, found by call id, or else by name and time."""
    return tools.find(event, _has_name, LATE_NS)


def _has_name(event: Event, span: Span) -> bool:
    return event.get(keys.TOOLS) in {span.attributes.get(key) for key in keys.TOOLS}
