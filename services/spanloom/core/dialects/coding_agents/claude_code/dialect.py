"""Claude Code (scope ``com.anthropic.claude_code.tracing``) with its log records.

``interaction`` is the run for one prompt, ``llm_request`` a model call with all its attempts.
``tool`` is a tool run; its child spans are the wait for a permission and the execution. The
execution of the tool ``Agent`` is the run of a sub-agent. Input tokens exclude cached tokens.
Answers, arguments and costs are in log records, which are matched by request id or tool call id;
tool results are in the span event ``tool.output``.

Verified on runs of version 2.1.197.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What, is_unasked
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.coding_agents.attempts import ATTEMPT
from spanloom.core.dialects.coding_agents.claude_code.calls import (
    CALL,
    classify_call,
    describe_call,
    unhidden,
)
from spanloom.core.dialects.coding_agents.claude_code.tools import (
    TOOL,
    classify_execution,
    classify_tool,
    describe_tool,
    output_of,
)
from spanloom.core.dialects.coding_agents.unreported import CLAUDE_CODE, read_place
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

SCOPE = "com.anthropic.claude_code.tracing"
_INTERACTION = "claude_code.interaction"
_EXECUTION = "claude_code.tool.execution"
_RUN_RULE = "claude_code.turn.fragment"
_PLUMBING = Classification(Kind.OTHER, "claude_code.plumbing", is_sound=True)


class ClaudeCode(Dialect):
    """Reads the spans of Claude Code's enhanced telemetry."""

    id = "claude_code"
    own_scope = SCOPE

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope, or by name."""
        return signature.scope_name == SCOPE or signature.name.startswith("claude_code.")

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by name, and add facts from log records."""
        if ATTEMPT in span.attributes:
            return Classification(Kind.MODEL, "claude_code.attempt")
        if span.name == _INTERACTION:
            return _classify_run(span, view)
        if span.name == CALL:
            return classify_call(span, view)
        if span.name == TOOL:
            return classify_tool(span, view)
        if span.name == _EXECUTION and (tool := view.tree.parent(span)) is not None:
            return classify_execution(tool, view)
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the span's attributes; facts from log records come with ``classify``."""
        facts = Facts(conversation_id=span.attributes.get("session.id", ""))
        if kind is Kind.MODEL:
            describe_call(span.attributes, facts)
        elif kind is Kind.TOOL and span.name == TOOL:
            describe_tool(span, facts)
        elif span.name == _INTERACTION:
            facts.input = unhidden(span.attributes.get("user_prompt", ""))
            facts.agent_name = "claude-code"
        return facts


def _classify_run(span: Span, view: TraceView) -> Classification:
    first_id = view.remember_tree(_first_turn)
    if first_id and is_unasked(_prompt_of(span)):
        return Classification(Kind.AGENT, "claude_code.turn_goes_on.fragment", part_of=first_id)
    own = view.remember_tree(_by_holder).get(span.span_id, ())
    prompt = next((t for e in own if e.what is What.PROMPT and (t := e.get(keys.PROMPTS))), "")
    facts = Facts(
        input=prompt,
        metadata=read_place([span.attributes, *[e.attributes for e in own]]),
        notes=view.remember_tree(_missing),
    )
    rule = "claude_code.follow_up.fragment" if is_unasked(_prompt_of(span)) else _RUN_RULE
    return Classification(Kind.AGENT, rule, facts=facts)


def _prompt_of(turn: Span) -> str:
    return turn.attributes.get("user_prompt", "")


def _first_turn(tree: SpanTree) -> str:
    """Return the id of the first turn with a person's prompt; empty if there is no such turn."""
    turns = (s for s in tree.spans if s.name == _INTERACTION and not is_unasked(_prompt_of(s)))
    return next((turn.span_id for turn in turns), "")


def _by_holder(tree: SpanTree) -> Mapping[str, Sequence[Event]]:
    found: dict[str, list[Event]] = {}
    for event in read_events(tree):
        found.setdefault(event.holder.span_id, []).append(event)
    return found


def _missing(tree: SpanTree) -> Sequence[str]:
    """Return a warning if tool results are missing, and one if the last model call is missing.

    The last call is missing if the last one in the trace only requests tools.
    """
    calls = [s for s in tree.spans if s.name == CALL]
    tools = [s for s in tree.spans if s.name == TOOL]
    lacks_result = any(not output_of(tool) for tool in tools)
    lacks_call = bool(calls) and calls[-1].attributes.get("stop_reason") == "tool_use"
    shown = zip(CLAUDE_CODE, (lacks_result, lacks_call), strict=True)
    return [note for note, is_shown in shown if is_shown]
