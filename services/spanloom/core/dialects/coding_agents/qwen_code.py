"""Qwen Code with spans (scope ``qwen-code``): GenAI conventions, with its own span names.

``interaction`` is a turn, ``llm_request`` a model call, ``tool`` a tool run with child spans for
the execution and the hooks around it. A sub-agent in the background has its own trace. When it has
ended, its report begins a turn without a person's prompt. Both the trace and this turn belong to
the run of the last prompt. Older versions send only log records.

Verified on runs of version 0.24.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_records import What
from spanloom.core.conventions.exit_codes import find_exit_in
from spanloom.core.dialects.coding_agents.sub_agents import prompt_in
from spanloom.core.dialects.coding_agents.tools import decision_of, events_by_call, tool_error
from spanloom.core.dialects.coding_agents.unreported import QWEN_CODE, read_place
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

SCOPE = "qwen-code"
_TURN, _CALL, _TOOL = "qwen-code.interaction", "qwen-code.llm_request", "qwen-code.tool"
_RUN, _AGENT = "qwen-code.tool.execution", "qwen-code.subagent"
_MESSAGE_TYPE, _STATUS = "qwen-code.message_type", "qwen-code.turn_status"
_UNASKED = frozenset({"notification", "hook", "retry", "toolResult"})
"""Message types of a turn that continues an earlier prompt."""
_INVOKED_BY = "qwen-code.subagent.invoking_request_id"
_SUB_AGENT_STATUS = "qwen-code.subagent.status"
_STOPPED = frozenset({"cancelled", "aborted"})
_RESULT = "gen_ai.tool.call.result"
_PLUMBING = Classification(Kind.OTHER, "qwen_code.plumbing", is_sound=True)


class QwenCode(OtelGenAI):
    """The GenAI conventions as Qwen Code writes them."""

    id = "qwen_code"
    own_scope = SCOPE

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by name, and add facts from log records."""
        if span.name == _TURN:
            return _classify_turn(span, view)
        if span.name == _CALL:
            return _classify_call(span)
        if span.name == _TOOL:
            return _classify_tool(span, view)
        if span.name == _AGENT:
            return _classify_sub_agent(span, view)
        if span.name == _RUN and (tool := view.tree.parent(span)) is not None:
            return Classification(Kind.TOOL, "qwen_code.execution", part_of=tool.span_id)
        return _PLUMBING


def _classify_turn(span: Span, view: TraceView) -> Classification:
    """Classify a turn: the run for a prompt, or a continuation of that run."""
    is_cancelled = span.attributes.get(_STATUS) == "cancelled"
    first_id = view.remember_tree(_first_turn)
    if first_id and is_unasked(span):
        rule = "qwen_code.turn_goes_on.fragment"
        return Classification(Kind.AGENT, rule, part_of=first_id, is_cancelled=is_cancelled)
    facts = Facts(metadata=read_place([span.attributes]), notes=QWEN_CODE)
    rule = "qwen_code.follow_up.fragment" if is_unasked(span) else "qwen_code.turn.fragment"
    return Classification(Kind.AGENT, rule, facts=facts, is_cancelled=is_cancelled)


def is_unasked(turn: Span) -> bool:
    """Return whether a turn begins with a message that no person wrote."""
    return turn.attributes.get(_MESSAGE_TYPE, "") in _UNASKED


def _first_turn(tree: SpanTree) -> str:
    """Return the id of the first turn with a person's prompt; empty if there is no such turn."""
    turns = (span for span in tree.spans if span.name == _TURN and not is_unasked(span))
    return next((turn.span_id for turn in turns), "")


def _classify_call(span: Span) -> Classification:
    attributes = span.attributes
    error = None
    if attributes.get("success") == "false":
        code = attributes.get("http.response.status_code") or attributes.get("error.status_code")
        message = attributes.get("error") or span.status_message or "the call failed"
        number = int(code) if code and code.isdecimal() else NO_CODE
        error = StepError(number, message, attributes.get("error.type", ""), "", "attribute")
    return Classification(Kind.MODEL, "qwen_code.llm_request", error=error)


def _classify_tool(span: Span, view: TraceView) -> Classification:
    call_id = first(span.attributes, *keys.CALL_IDS)
    known = view.remember_tree(events_by_call)
    event = known.get((What.TOOL, call_id))
    output = json_object(span.attributes.get(_RESULT, "")).get("output")
    result = output if isinstance(output, str) else ""
    facts = Facts(metadata=decision_of(event))
    if event is not None and not span.attributes.get("gen_ai.tool.call.arguments"):
        facts.input = event.get(keys.ARGUMENTS)
    error = tool_error(event, result) if event is not None else find_exit_in(result)
    return Classification(
        Kind.TOOL,
        "qwen_code.tool",
        facts=facts,
        error=error or _own_error(span),
        is_cancelled=_is_cancelled(span, event),
    )


def _own_error(span: Span) -> StepError | None:
    attributes = span.attributes
    if attributes.get("success") != "false":
        return None
    message = attributes.get("error") or span.status_message or "the tool failed"
    kind = attributes.get("tool.failure_kind") or attributes.get("error.type", "")
    return StepError(NO_CODE, message, kind, "", "attribute")


def _is_cancelled(span: Span, event: keys.Event | None) -> bool:
    status = event.attributes.get("status", "") if event is not None else ""
    return "cancelled" in (span.attributes.get("tool.failure_kind"), status)


def _tools(tree: SpanTree) -> Mapping[str, Span]:
    """Return the tools' spans, keyed by tool call id."""
    tools = (span for span in tree.spans if span.name == _TOOL)
    return {first(span.attributes, *keys.CALL_IDS): span for span in tools}


def _classify_sub_agent(span: Span, view: TraceView) -> Classification:
    """Classify a sub-agent, in its own trace or below the tool that ran it."""
    tool = view.remember_tree(_tools).get(span.attributes.get(_INVOKED_BY, ""))
    ended = view.remember_tree(_reports).get(span.span_id, "")
    prompt = prompt_in(tool.attributes.get("gen_ai.tool.call.arguments", "")) if tool else ""
    return Classification(
        Kind.AGENT,
        "qwen_code.sub_agent.fragment",
        inside=tool.span_id if tool is not None else None,
        facts=Facts(input=prompt, output=ended),
        is_cancelled=span.attributes.get(_SUB_AGENT_STATUS, "") in _STOPPED,
    )


def _reports(tree: SpanTree) -> Mapping[str, str]:
    """Return the final reports of sub-agents, keyed by the sub-agent's span id."""
    ended = (e for e in keys.read_events(tree) if e.what is What.FINISHED and not e.is_bare)
    return {e.holder.span_id: e.get(("result", "output", "response")) for e in ended}
