"""OpenAI's Codex (scopes ``codex_exec``, ``codex_cli_rs`` …), some hundred spans for a prompt.

``turn/start`` is a prompt's run, whose ``session_task.turn`` goes on after it; a turn within
another is a sub-agent. ``try_run_sampling_request`` is a call; its tokens are on spans below it,
its failed requests are events. A tool's span is named after the tool; arguments and result are in
the log record ``codex.tool_result``, which says ``success`` also if the command's exit code is not
0. All other spans are the program's own.

Verified on runs of 0.169.0.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.conventions.usage import read_counts
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.coding_agents.attempts import ATTEMPT, call_around, requests_of
from spanloom.core.dialects.coding_agents.calls import error_of, is_failure
from spanloom.core.dialects.coding_agents.reported import DISPATCH
from spanloom.core.dialects.coding_agents.tools import (
    CALL_ID,
    decision_of,
    events_by_call,
    tool_error,
    tool_name,
)
from spanloom.core.dialects.coding_agents.unreported import CODEX, read_place
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_object, json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import StepError, Usage
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.values.attributes import Json

_START, _TURN = "turn/start", "session_task.turn"
_CALL = "try_run_sampling_request"
_USAGE = ("gen_ai.usage.", "codex.usage.")
_COUNTED = "gen_ai.usage.input_tokens"
_RECEIVED = "codex.tool_call_received"
_READY = "codex.tool_result_ready"
_CONVERSATION = "conversation.id"
_PLUMBING = Classification(Kind.OTHER, "codex.plumbing", is_sound=True)
_COUNTS = Classification(Kind.OTHER, "codex.counts", is_sound=True)
_NAME = "codex"
_MAX_BELOW, _MAX_ABOVE = 300, 256
"""Spans below and above a turn that are searched for its conversation, and for its caller."""
_NICKNAME, _COMPLETED = "nickname", "completed"
"""What results of tools report of a sub-agent: its name, and what it reported."""


class Codex(Dialect):
    """Spans of Codex."""

    id = "codex"

    def recognises(self, signature: Signature) -> bool:
        """Recognise by scope, which is the name of the program."""
        return signature.scope_name.startswith("codex")

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify by name, with what log records and spans below tell of it."""
        if ATTEMPT in span.attributes:
            return Classification(Kind.MODEL, "codex.attempt")
        if span.name == _CALL:
            return _classify_call(span, view)
        if span.attributes.get(DISPATCH) == "dispatch":
            return _classify_tool(span, view)
        if span.name in (_START, _TURN):
            return _classify_turn(span, view)
        return _COUNTS if _COUNTED in span.attributes else _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the attributes; the texts come with the classification."""
        facts = Facts(conversation_id=span.attributes.get(_CONVERSATION, ""))
        if kind is Kind.MODEL:
            facts.model = span.attributes.get("model", "")
        elif kind is Kind.TOOL:
            call_id = span.attributes.get("call_id", "")
            facts.tool_name = span.attributes.get("tool_name", "")
            facts.metadata = {CALL_ID: call_id} if call_id else {}
        return facts


def _classify_turn(span: Span, view: TraceView) -> Classification:
    """Classify a turn: the run itself, its second half, or a sub-agent's."""
    above = islice(view.tree.ancestors(span), _MAX_ABOVE)
    around = [s for s in above if s.name in (_START, _TURN)]
    if span.name == _TURN and around and around[-1].name == _START and len(around) == 1:
        return Classification(Kind.AGENT, "codex.turn_goes_on", part_of=around[0].span_id)
    conversation = view.remember_tree(_conversations).get(span.span_id, "")
    own = view.remember_tree(_by_conversation).get(conversation, ()) if conversation else ()
    facts = Facts(
        input=next((t for e in own if e.what is What.PROMPT and (t := e.get(keys.PROMPTS))), ""),
        agent_name=_NAME,
        conversation_id=conversation,
    )
    if around:
        reports = view.remember_tree(_reports)
        facts.agent_name = _nickname(own) or reports.get((conversation, _NICKNAME)) or "sub-agent"
        facts.output = reports.get((conversation, _COMPLETED), "")
        return Classification(Kind.AGENT, "codex.sub_agent", facts=facts)
    facts.notes = CODEX
    facts.metadata = read_place(s.attributes for s in view.tree.spans if "cwd" in s.attributes)
    return Classification(Kind.AGENT, "codex.turn.fragment", facts=facts)


def _conversations(tree: SpanTree) -> Mapping[str, str]:
    """Return the conversation of each turn, which its spans below name: the one nearest to it."""
    found: dict[str, str] = {}
    for turn in tree.spans:
        if turn.name in (_START, _TURN):
            found[turn.span_id] = _conversation_below(turn, tree)
    return found


def _conversation_below(turn: Span, tree: SpanTree) -> str:
    below = [turn]
    for span in below:
        if conversation := span.attributes.get(_CONVERSATION):
            return conversation
        if len(below) < _MAX_BELOW:
            below.extend(tree.children(span))
    return ""


def _by_conversation(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    found: dict[str, list[Event]] = {}
    for event in read_events(tree):
        found.setdefault(event.attributes.get(_CONVERSATION, ""), []).append(event)
    return found


def _nickname(own: Sequence[Event]) -> str:
    """Return the name of a sub-agent that its tools report; the main agent's is a path."""
    names = (e.attributes.get("agent_name", "") for e in own)
    return next((n for n in names if n and not n.startswith("/")), "")


def _reports(tree: SpanTree) -> Mapping[tuple[str, str], str]:
    """Return the name and the report of each sub-agent, by its conversation, from tools' results.

    The tool that starts one returns ``{"agent_id": …, "nickname": …}``, the one that waits for
    some ``{"status": {id: {"completed": …}}}``.
    """
    found: dict[tuple[str, str], str] = {}
    for event in read_events(tree):
        result = event.get(keys.RESULTS) if event.what is What.TOOL else ""
        fields = json_object(result) if result.startswith("{") else {}
        agent, nickname = fields.get("agent_id"), fields.get(_NICKNAME)
        if isinstance(agent, str) and isinstance(nickname, str):
            found[agent, _NICKNAME] = nickname
        status = fields.get("status")
        for conversation, own in status.items() if isinstance(status, dict) else ():
            text = own.get(_COMPLETED) if isinstance(own, dict) else None
            if isinstance(text, str):
                found[conversation, _COMPLETED] = text
    return found


def _classify_call(span: Span, view: TraceView) -> Classification:
    usage = view.remember_tree(_usages).get(span.span_id)
    requests = view.remember_tree(_requests).get(span.span_id, ())
    facts = Facts(output=view.remember_tree(_calls_of_tools).get(span.span_id, ""))
    error = _error(requests) if usage is None else None
    return Classification(Kind.MODEL, "codex.call", usage=usage, facts=facts, error=error)


def _error(requests: Sequence[Event]) -> StepError | None:
    return error_of(requests[-1]) if requests and is_failure(requests[-1]) else None


def _requests(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    return requests_of(tree.spans)


def _usages(tree: SpanTree) -> Mapping[str, Usage]:
    """Return the tokens of each call, which one of the spans below it has."""
    by_id = {span.span_id: span for span in tree.spans}
    found: dict[str, Usage] = {}
    for span in tree.spans:
        if _COUNTED in span.attributes and (call := call_around(span, by_id)) is not None:
            found[call.span_id] = read_counts(span.attributes, _USAGE)
    return found


def _calls_of_tools(tree: SpanTree) -> Mapping[str, str]:
    """Return the tool calls in each call's answer, as a message."""
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


def _classify_tool(span: Span, view: TraceView) -> Classification:
    known = view.remember_tree(events_by_call)
    call_id = span.attributes.get("call_id", "")
    event, decision = known.get((What.TOOL, call_id)), known.get((What.DECISION, call_id))
    is_cancelled = span.attributes.get("aborted") == "true"
    if event is None:
        facts = Facts(tool_name=_named_when_ready(span))
        return Classification(Kind.TOOL, "codex.tool", facts=facts, is_cancelled=is_cancelled)
    result = event.get(keys.RESULTS)
    facts = Facts(
        event.get(keys.ARGUMENTS),
        result,
        tool_name=tool_name(event),
        metadata=decision_of(decision),
    )
    error = None if is_cancelled else tool_error(event, result)
    return Classification(
        Kind.TOOL, "codex.tool", facts=facts, error=error, is_cancelled=is_cancelled
    )


def _named_when_ready(span: Span) -> str:
    """Return the tool's name with its namespace from the event that its result is ready."""
    for event in span.events:
        if first(event.attributes, "event.name") == _READY or event.name == _READY:
            name = event.attributes.get("tool_name", "")
            namespace = event.attributes.get("tool_namespace", "")
            return name if namespace in ("", "functions") else f"{namespace}/{name}"
    return ""
