"""Model calls of Codex; spans below a call have its tokens, failed requests and tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.conventions.usage import read_counts
from spanloom.core.dialects.coding_agents.attempts import call_around, requests_of
from spanloom.core.dialects.coding_agents.calls import error_of, is_failure
from spanloom.core.dialects.coding_agents.tools import (
    tool_name,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import StepError, Usage
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.values.attributes import Json

_USAGE = ("gen_ai.usage.", "codex.usage.")
COUNTED = "gen_ai.usage.input_tokens"
_RECEIVED = "codex.tool_call_received"


def classify_call(span: Span, view: TraceView) -> Classification:
    """Classify a model call; add its tokens, or its failure if it has no tokens."""
    usage = view.remember_tree(_usages).get(span.span_id)
    requests = view.remember_tree(_requests).get(span.span_id, ())
    facts = Facts(output=view.remember_tree(_calls_of_tools).get(span.span_id, ""))
    error = _error(requests) or view.remember_tree(_cut_streams).get(span.span_id)
    error = error if usage is None else None
    return Classification(Kind.MODEL, "codex.call", usage=usage, facts=facts, error=error)


def _error(requests: Sequence[Event]) -> StepError | None:
    return error_of(requests[-1]) if requests and is_failure(requests[-1]) else None


def _cut_streams(tree: SpanTree) -> Mapping[str, StepError]:
    """Map the span ids of model calls to the failures of streams inside the calls."""
    by_id = {span.span_id: span for span in tree.spans}
    failed = (e for e in read_events(tree) if e.what is What.FAILURE and not e.is_bare)
    calls = ((call_around(event.holder, by_id), event) for event in failed)
    return {call.span_id: error_of(event) for call, event in calls if call is not None}


def _requests(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    return requests_of(tree.spans)


def _usages(tree: SpanTree) -> Mapping[str, Usage]:
    """Map the span ids of model calls to the token counts that a span below the call reports."""
    by_id = {span.span_id: span for span in tree.spans}
    found: dict[str, Usage] = {}
    for span in tree.spans:
        if COUNTED in span.attributes and (call := call_around(span, by_id)) is not None:
            found[call.span_id] = read_counts(span.attributes, _USAGE)
    return found


def _calls_of_tools(tree: SpanTree) -> Mapping[str, str]:
    """Map the span ids of model calls to the tool calls in their answers, as messages in JSON."""
    by_id = {span.span_id: span for span in tree.spans}
    tools = {e.get(keys.CALL_IDS): e for e in read_events(tree) if e.what is What.TOOL}
    found: dict[str, list[Json]] = {}
    for span in tree.spans:
        for event in span.events:
            name = event.attributes.get("event.name") or event.name
            if name == _RECEIVED and (call := call_around(span, by_id)) is not None:
                found.setdefault(call.span_id, []).append(_call_in(event.attributes, tools))
    return {
        i: json_text([{"role": "assistant", "content": "", "tool_calls": calls}])
        for i, calls in found.items()
    }


def _call_in(attributes: Mapping[str, str], tools: Mapping[str, Event]) -> Json:
    call_id = attributes.get("call_id", "")
    tool = tools.get(call_id)
    name = tool_name(tool) if tool is not None else attributes.get("tool_name", "")
    arguments = tool.get(keys.ARGUMENTS) if tool is not None else ""
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
