"""Classifies tool spans of Claude Code: tools, waits for a permission, and sub-agents' runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_records import What
from spanloom.core.conventions.exit_codes import find_exit_in
from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.dialects.coding_agents.answers import unmarked_result
from spanloom.core.dialects.coding_agents.claude_code.calls import unhidden
from spanloom.core.dialects.coding_agents.sub_agents import LAUNCHERS, prompt_in
from spanloom.core.dialects.coding_agents.tools import (
    CALL_ID,
    REFUSED,
    decision_of,
    events_by_call,
    is_refused,
    tool_error,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_text

if TYPE_CHECKING:
    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span

TOOL = "claude_code.tool"
_BLOCKED = "claude_code.tool.blocked_on_user"
_OUTPUT = "tool.output"
_RESULTS = ("output", "content", "result", "diff", "new_string")
_NAMED_ARGUMENTS = {
    "full_command": "command",
    "file_path": "file_path",
    "subagent_type": "subagent_type",
}
"""Attributes of a tool's span that hold arguments, and the names of these arguments."""


def classify_tool(span: Span, view: TraceView) -> Classification:
    """Classify a tool; its arguments, error and permission decision come from log records."""
    known = view.remember_tree(events_by_call)
    call_id = first(span.attributes, *keys.CALL_IDS)
    result, decision = known.get((What.TOOL, call_id)), known.get((What.DECISION, call_id))
    facts = Facts(
        input=_arguments(result), metadata={**_waited(span, view), **decision_of(decision)}
    )
    output = output_of(span)
    error = tool_error(result, output) if result is not None else find_exit_in(output)
    if error is None and result is None and is_refused(facts.metadata):
        error = REFUSED
    return Classification(
        Kind.TOOL, "claude_code.tool", facts=facts, error=error, question=_question(span, view)
    )


def _arguments(result: Event | None) -> str:
    return result.get(keys.ARGUMENTS) if result is not None else ""


def _waited(span: Span, view: TraceView) -> dict[str, str]:
    """Return a person's decision about the tool, its source, and the wait in ms, as metadata."""
    waits = [s for s in view.tree.children(span) if s.name == _BLOCKED]
    decided = [s for s in waits if s.attributes.get("decision", "unknown") != "unknown"]
    if not decided:
        return {}
    wait = decided[-1].attributes
    return {
        "decision": wait["decision"],
        "decision_by": wait.get("source", ""),
        "waited_ms": wait.get("duration_ms", ""),
    }


def _question(span: Span, view: TraceView) -> str | None:
    """Return the question to a person if the tool still waits for a permission."""
    waits = [s for s in view.tree.children(span) if s.name == _BLOCKED]
    if not any(wait.span_id in view.tree.open for wait in waits):
        return None
    arguments = span.attributes.get("tool_input") or json_text({**_own_arguments(span)})
    return as_question([ask_to_run(span.attributes.get("tool_name", ""), arguments)])


def classify_execution(tool: Span, view: TraceView) -> Classification:
    """Classify the execution inside a tool: a sub-agent's run, or a second report of the tool."""
    name, agent = tool.attributes.get("tool_name", ""), tool.attributes.get("subagent_type", "")
    if name.lower() in LAUNCHERS or agent:
        call_id = first(tool.attributes, *keys.CALL_IDS)
        arguments = _arguments(view.remember_tree(events_by_call).get((What.TOOL, call_id)))
        prompt = prompt_in(arguments or tool.attributes.get("tool_input", ""))
        facts = Facts(input=prompt, agent_name=agent or name)
        return Classification(Kind.AGENT, "claude_code.sub_agent", facts=facts)
    return Classification(Kind.TOOL, "claude_code.execution", part_of=tool.span_id)


def describe_tool(span: Span, facts: Facts) -> None:
    """Set the facts of a tool from its span."""
    attributes = span.attributes
    facts.tool_name = attributes.get("tool_name", "")
    own = _own_arguments(span)
    facts.input = unhidden(attributes.get("tool_input", "")) or (json_text({**own}) if own else "")
    facts.output = output_of(span) or unmarked_result(unhidden(attributes.get("new_context", "")))
    call_id = first(attributes, "tool_use_id", "gen_ai.tool.call.id")
    facts.metadata = {CALL_ID: call_id} if call_id else {}


def _own_arguments(span: Span) -> dict[str, str]:
    attributes = span.attributes
    pairs = ((name, attributes.get(key, "")) for key, name in _NAMED_ARGUMENTS.items())
    return {name: value for name, value in pairs if value and value not in keys.HIDDEN}


def output_of(span: Span) -> str:
    """Return the result of a tool; empty if no event has it."""
    outputs = (first(e.attributes, *_RESULTS) for e in span.events if e.name == _OUTPUT)
    return unhidden(next(filter(None, outputs), ""))
