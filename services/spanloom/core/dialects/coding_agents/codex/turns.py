"""Classifies turns of Codex: the run for a prompt, a second span of that run, or a sub-agent."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.dialects.coding_agents.unreported import CODEX, read_place
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

START, TURN = "turn/start", "session_task.turn"
CONVERSATION = "conversation.id"
_NAME = "codex"
_MAX_BELOW, _MAX_ABOVE = 300, 256
"""How many spans below a turn are searched for its conversation, and above it for its caller."""
_REQUEST, _TEMPORARY = "rpc.request_id", "temporary-structured-"
"""Attribute of a turn that makes a task's title, and the prefix of the attribute's value."""
_NICKNAME, _COMPLETED = "nickname", "completed"
"""Members of tool results with a sub-agent's name and its report."""


def classify_turn(span: Span, view: TraceView) -> Classification:
    """Classify a turn: the run itself, the second span of a run, or a sub-agent's run."""
    above = islice(view.tree.ancestors(span), _MAX_ABOVE)
    around = [s for s in above if s.name in (START, TURN)]
    if span.name == TURN and around and around[-1].name == START and len(around) == 1:
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
    if span.attributes.get(_REQUEST, "").startswith(_TEMPORARY):
        facts.agent_name = f"{_NAME} title"
    facts.notes = CODEX
    facts.metadata = read_place(s.attributes for s in view.tree.spans if "cwd" in s.attributes)
    return Classification(Kind.AGENT, "codex.turn.fragment", facts=facts)


def _conversations(tree: SpanTree) -> Mapping[str, str]:
    """Map each turn's span id to the conversation id on the turn or on the nearest span below."""
    found: dict[str, str] = {}
    for turn in tree.spans:
        if turn.name in (START, TURN):
            found[turn.span_id] = _conversation_below(turn, tree)
    return found


def _conversation_below(turn: Span, tree: SpanTree) -> str:
    below = [turn]
    for span in below:
        if conversation := span.attributes.get(CONVERSATION):
            return conversation
        if len(below) < _MAX_BELOW:
            below.extend(tree.children(span))
    return ""


def _by_conversation(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    found: dict[str, list[Event]] = {}
    for event in read_events(tree):
        found.setdefault(event.attributes.get(CONVERSATION, ""), []).append(event)
    return found


def _nickname(own: Sequence[Event]) -> str:
    """Return a sub-agent's name from its events; empty for the main agent, whose name is a path."""
    names = (e.attributes.get("agent_name", "") for e in own)
    return next((n for n in names if n and not n.startswith("/")), "")


def _reports(tree: SpanTree) -> Mapping[tuple[str, str], str]:
    """Return sub-agents' names and reports in tool results, keyed by conversation id and member.

    The tool that starts a sub-agent returns ``{"agent_id": …, "nickname": …}``; the tool that waits
    for sub-agents returns ``{"status": {id: {"completed": …}}}``.
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
