"""Claude Code (scope ``com.anthropic.claude_code.tracing``) with its log records.

``interaction`` is a prompt's run, ``llm_request`` a call with all its attempts, ``tool`` a tool
with the wait for a permission and the execution inside. The tool ``Agent`` runs a sub-agent in its
execution. Input tokens exclude cached ones. Answers, arguments and costs are in log records, joined
by the request's and the call's id; results in the span event ``tool.output``.

Verified on runs of 2.1.197.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What, is_unasked
from spanloom.core.conventions.exit_codes import find_exit_in
from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.conventions.usage import read_counts
from spanloom.core.conventions.usage_repair import with_cached
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.coding_agents.answers import read_body, read_marked, unmarked_result
from spanloom.core.dialects.coding_agents.attempts import ATTEMPT
from spanloom.core.dialects.coding_agents.sub_agents import LAUNCHERS, prompt_in
from spanloom.core.dialects.coding_agents.tools import (
    CALL_ID,
    REFUSED,
    decision_of,
    events_by_call,
    is_refused,
    tool_error,
)
from spanloom.core.dialects.coding_agents.unreported import CLAUDE_CODE, read_place
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import NO_CODE, Kind, StepError
from spanloom.core.values.attributes import decimal, first, integer, json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

SCOPE = "com.anthropic.claude_code.tracing"
_INTERACTION, _CALL = "claude_code.interaction", "claude_code.llm_request"
_TOOL, _RUN = "claude_code.tool", "claude_code.tool.execution"
_BLOCKED = "claude_code.tool.blocked_on_user"
_OUTPUT = "tool.output"
_RESULTS = ("output", "content", "result", "diff", "new_string")
_NAMED_ARGUMENTS = {
    "full_command": "command",
    "file_path": "file_path",
    "subagent_type": "subagent_type",
}
"""Attributes of a tool's span that are arguments."""
_RUN_RULE = "claude_code.turn.fragment"
_PLUMBING = Classification(Kind.OTHER, "claude_code.plumbing", is_sound=True)


class ClaudeCode(Dialect):
    """Spans of Claude Code's enhanced telemetry."""

    id = "claude_code"
    own_scope = SCOPE

    def recognises(self, signature: Signature) -> bool:
        """Recognise by scope, or by name."""
        return signature.scope_name == SCOPE or signature.name.startswith("claude_code.")

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify by name, with what log records report of it."""
        if ATTEMPT in span.attributes:
            return Classification(Kind.MODEL, "claude_code.attempt")
        if span.name == _INTERACTION:
            return _classify_run(span, view)
        if span.name == _CALL:
            return _classify_call(span, view)
        if span.name == _TOOL:
            return _classify_tool(span, view)
        if span.name == _RUN and (tool := view.tree.parent(span)) is not None:
            return _classify_execution(tool, view)
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the attributes."""
        facts = Facts(conversation_id=span.attributes.get("session.id", ""))
        if kind is Kind.MODEL:
            _describe_call(span.attributes, facts)
        elif kind is Kind.TOOL and span.name == _TOOL:
            _describe_tool(span, facts)
        elif span.name == _INTERACTION:
            facts.input = _shown(span.attributes.get("user_prompt", ""))
            facts.agent_name = "claude-code"
        return facts


def _shown(text: str) -> str:
    return "" if text in keys.HIDDEN else text


def _classify_run(span: Span, view: TraceView) -> Classification:
    asked_id = view.remember_tree(_first_turn)
    if asked_id and is_unasked(_asked(span)):
        return Classification(Kind.AGENT, "claude_code.turn_goes_on.fragment", part_of=asked_id)
    own = view.remember_tree(_by_holder).get(span.span_id, ())
    prompt = next((t for e in own if e.what is What.PROMPT and (t := e.get(keys.PROMPTS))), "")
    facts = Facts(
        input=prompt,
        metadata=read_place([span.attributes, *[e.attributes for e in own]]),
        notes=view.remember_tree(_missing),
    )
    rule = "claude_code.follow_up.fragment" if is_unasked(_asked(span)) else _RUN_RULE
    return Classification(Kind.AGENT, rule, facts=facts)


def _asked(turn: Span) -> str:
    return turn.attributes.get("user_prompt", "")


def _first_turn(tree: SpanTree) -> str:
    """Return the id of the turn that a person asked for; empty if there is none."""
    turns = (s for s in tree.spans if s.name == _INTERACTION and not is_unasked(_asked(s)))
    return next((turn.span_id for turn in turns), "")


def _by_holder(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    found: dict[str, list[Event]] = {}
    for event in read_events(tree):
        found.setdefault(event.holder.span_id, []).append(event)
    return found


def _missing(tree: SpanTree) -> Sequence[str]:
    """Return what the run's spans lack: results of tools, the call after the last tool."""
    calls = [s for s in tree.spans if s.name == _CALL]
    tools = [s for s in tree.spans if s.name == _TOOL]
    lacks_result = any(not _output(tool) for tool in tools)
    lacks_call = bool(calls) and calls[-1].attributes.get("stop_reason") == "tool_use"
    shown = zip(CLAUDE_CODE, (lacks_result, lacks_call), strict=True)
    return [note for note, is_shown in shown if is_shown]


def _by_request(tree: SpanTree) -> Mapping[tuple[What, str], Event]:
    """Return the events of calls by what they report and the request's id."""
    whats = (What.REQUEST, What.FAILURE, What.ANSWER, What.RECEIVED)
    events = [e for e in read_events(tree) if e.what in whats]
    return {(e.what, e.get(keys.REQUEST_IDS)): e for e in events if e.get(keys.REQUEST_IDS)}


def _classify_call(span: Span, view: TraceView) -> Classification:
    known = view.remember_tree(_by_request)
    request_id = first(span.attributes, "request_id", "gen_ai.response.id")
    request = known.get((What.REQUEST, request_id)) or known.get((What.FAILURE, request_id))
    cost = request.get(keys.COSTS) if request is not None else ""
    agent = request.attributes.get("agent.name", "") if request is not None else ""
    facts = Facts(
        input=view.remember_tree(_sent_by_call).get(span.span_id, ""),
        output=_answer(known, request_id),
        agent_name=agent,
        metadata={"reported_cost": cost} if cost else {},
    )
    return Classification(Kind.MODEL, "claude_code.llm_request", facts=facts, error=_error(span))


def _answer(known: Mapping[tuple[What, str], Event], request_id: str) -> str:
    if (received := known.get((What.RECEIVED, request_id))) is not None:
        return read_body(received.get(keys.BODY), "received")
    answer = known.get((What.ANSWER, request_id))
    return answer.get(keys.RECEIVED) if answer is not None else ""


def _sent_by_call(tree: SpanTree) -> Mapping[str, str]:
    """Return the request bodies by the id of the call that began last before or with each."""
    bodies = [e for e in read_events(tree) if e.what is What.SENT]
    calls = iter([s for s in tree.spans if s.name == _CALL] if bodies else [])
    found: dict[str, str] = {}
    for body in bodies:
        if (call := next((c for c in calls if c.end_ns >= body.time_ns), None)) is not None:
            found[call.span_id] = read_body(body.get(keys.BODY), "sent")
    return found


def _error(span: Span) -> StepError | None:
    attributes = span.attributes
    if attributes.get("success", "") != "false" and span.status_code != "Error":
        return None
    message = attributes.get("error") or span.status_message or "the call failed"
    code = integer(attributes.get("status_code", "")) or NO_CODE
    return StepError(code, message, "", "", "attribute")


def _describe_call(attributes: Mapping[str, str], facts: Facts) -> None:
    facts.model = first(attributes, "model", "gen_ai.request.model")
    facts.usage = with_cached(read_counts(attributes, ("",)))
    facts.first_token_ms = decimal(attributes.get("ttft_ms", ""))
    facts.response_id = attributes.get("request_id", "")
    facts.input = read_marked(_shown(attributes.get("new_context", "")))
    facts.output = _shown(attributes.get("response.model_output", ""))
    reason, provider = attributes.get("stop_reason", ""), attributes.get("gen_ai.system", "")
    shown = (("finish_reasons", reason), ("provider", provider))
    facts.metadata = {key: value for key, value in shown if value}


def _classify_tool(span: Span, view: TraceView) -> Classification:
    known = view.remember_tree(events_by_call)
    call_id = first(span.attributes, *keys.CALL_IDS)
    result, decision = known.get((What.TOOL, call_id)), known.get((What.DECISION, call_id))
    facts = Facts(
        input=_arguments(result), metadata={**_waited(span, view), **decision_of(decision)}
    )
    output = _output(span)
    error = tool_error(result, output) if result is not None else find_exit_in(output)
    if error is None and result is None and is_refused(facts.metadata):
        error = REFUSED
    return Classification(
        Kind.TOOL, "claude_code.tool", facts=facts, error=error, question=_question(span, view)
    )


def _arguments(result: Event | None) -> str:
    return result.get(keys.ARGUMENTS) if result is not None else ""


def _waited(span: Span, view: TraceView) -> dict[str, str]:
    """Return how long the tool waited for a person's decision, and what it was."""
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


def _classify_execution(tool: Span, view: TraceView) -> Classification:
    """Classify the execution: a sub-agent, or a part of its tool."""
    name, agent = tool.attributes.get("tool_name", ""), tool.attributes.get("subagent_type", "")
    if name.lower() in LAUNCHERS or agent:
        call_id = first(tool.attributes, *keys.CALL_IDS)
        arguments = _arguments(view.remember_tree(events_by_call).get((What.TOOL, call_id)))
        asked = prompt_in(arguments or tool.attributes.get("tool_input", ""))
        facts = Facts(input=asked, agent_name=agent or name)
        return Classification(Kind.AGENT, "claude_code.sub_agent", facts=facts)
    return Classification(Kind.TOOL, "claude_code.execution", part_of=tool.span_id)


def _describe_tool(span: Span, facts: Facts) -> None:
    attributes = span.attributes
    facts.tool_name = attributes.get("tool_name", "")
    own = _own_arguments(span)
    facts.input = _shown(attributes.get("tool_input", "")) or (json_text({**own}) if own else "")
    facts.output = _output(span) or unmarked_result(_shown(attributes.get("new_context", "")))
    call_id = first(attributes, "tool_use_id", "gen_ai.tool.call.id")
    facts.metadata = {CALL_ID: call_id} if call_id else {}


def _own_arguments(span: Span) -> dict[str, str]:
    attributes = span.attributes
    pairs = ((name, attributes.get(key, "")) for key, name in _NAMED_ARGUMENTS.items())
    return {name: value for name, value in pairs if value and value not in keys.HIDDEN}


def _output(span: Span) -> str:
    outputs = (first(e.attributes, *_RESULTS) for e in span.events if e.name == _OUTPUT)
    return _shown(next(filter(None, outputs), ""))
