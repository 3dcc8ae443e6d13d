"""opencode (scope ``opencode``): spans of the Vercel AI SDK among a thousand internal spans.

``SessionPrompt.prompt`` is the run for one prompt; inside another run it is a sub-agent. The
command ``opencode run`` exits before it sends this span, so a root span is created. Each turn is a
span ``ai.streamText``, so this span is not classified as an agent here, unlike in other programs.
If there is no ``ai.streamText`` below ``LLM.run``, the model call was cancelled, or its span was
not sent.

Verified on runs of version 1.18.33.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.conventions.exit_codes import find_exit_in
from spanloom.core.dialects.coding_agents.arrange import is_made_root
from spanloom.core.dialects.coding_agents.opencode_turns import (
    CALL,
    RUN,
    STREAM,
    TITLE,
    answered_in,
    failure_of,
    has_turns,
    last_call,
    lost_calls,
    own_calls,
    request_in,
    turns_of_title,
)
from spanloom.core.dialects.coding_agents.sub_agents import agent_in
from spanloom.core.dialects.coding_agents.unreported import OPENCODE, OPENCODE_PLAIN, read_place
from spanloom.core.dialects.vercel_ai import VercelAI
from spanloom.core.model.span import ASIDE, Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

SCOPE = "opencode"
_TOOL, _OWN_TOOL = "ai.toolCall", "Tool.execute"
_NAME = "opencode"
_IS_ASIDE = {ASIDE: "true"}
_MAX_ABOVE = 256
"""How many spans above a run are searched for the tool that called it."""
_UNCOUNTED = Classification(Kind.MODEL, "opencode.call")
_LOST = Classification(Kind.MODEL, "opencode.call_without_answer", is_cancelled=True)
_PLUMBING = Classification(Kind.OTHER, "opencode.plumbing", is_sound=True)
_TURN = Classification(Kind.OTHER, "opencode.turn", is_sound=True)


class Opencode(VercelAI):
    """Reads the spans of opencode, and of the AI SDK in it."""

    id = "opencode"
    own_scope = SCOPE
    scopes = ("opencode",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify opencode's own spans by name, and the AI SDK's spans as ``VercelAI`` does.

        Two kinds of the AI SDK's spans differ: a turn (``ai.streamText``) is not a step, and a tool
        has failed if its result contains an exit code other than 0.
        """
        if span.name == STREAM:
            return _TURN
        if not span.name.startswith("ai."):
            return _classify_own(span, view)
        classification = super().classify(span, view)
        if classification.kind is not Kind.TOOL:
            return classification
        result = span.attributes.get("ai.toolCall.result", "")
        return classification._replace(error=find_exit_in(result))

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the attributes of the AI SDK; the program's own spans have few."""
        conversation = span.attributes.get("session.id", "")
        if span.name == _OWN_TOOL:
            call_id = span.attributes.get("tool.call_id", "")
            return Facts(
                tool_name=span.attributes.get("tool.name", ""),
                conversation_id=conversation,
                metadata={"tool_call_id": call_id} if call_id else {},
            )
        if not span.name.startswith("ai."):
            return Facts(conversation_id=conversation)
        facts = super().describe(span, kind)
        facts.conversation_id = conversation or facts.conversation_id
        if kind is Kind.TOOL:
            output = json_object(facts.output).get("output")
            facts.output = output if isinstance(output, str) and output else facts.output
        return facts


def _classify_own(span: Span, view: TraceView) -> Classification:
    if span.name == _OWN_TOOL:
        return _classify_own_tool(span, view)
    if span.name == CALL:
        return _classify_lost_call(span, view)
    if span.name in (RUN, TITLE) or is_made_root(span):
        return _classify_run(span, view)
    return _PLUMBING


def _classify_own_tool(span: Span, view: TraceView) -> Classification:
    """Classify opencode's own span of a tool: a second report if the AI SDK's span has arrived."""
    reported = view.remember_tree(_tools).get(span.attributes.get("tool.call_id", ""))
    if reported is None:
        return Classification(Kind.TOOL, "opencode.tool")
    return Classification(Kind.TOOL, "opencode.tool_repeated", part_of=reported.span_id)


def _tools(tree: SpanTree) -> Mapping[str, Span]:
    spans = (span for span in tree.spans if span.name == _TOOL)
    return {span.attributes.get("ai.toolCall.id", ""): span for span in spans}


def _classify_lost_call(span: Span, view: TraceView) -> Classification:
    if span.span_id not in view.remember_tree(lost_calls):
        return _PLUMBING
    return _LOST if view.remember_tree(has_turns) else _UNCOUNTED


def _classify_run(span: Span, view: TraceView) -> Classification:
    """Classify a run: the main run, a sub-agent's run, or the run that makes a title."""
    calls = list(own_calls(span, view.tree))
    above = islice(view.tree.ancestors(span), _MAX_ABOVE)
    around = next((s for s in above if s.name in (_OWN_TOOL, _TOOL)), None)
    if span.name == TITLE:
        is_run = bool(calls) or not view.remember_tree(has_turns)
        facts = Facts(request_in(calls), answered_in(calls), agent_name="title", metadata=_IS_ASIDE)
        return Classification(Kind.AGENT, "opencode.title", facts=facts) if is_run else _PLUMBING
    facts = Facts(
        input=request_in(calls) or request_in(view.remember_tree(turns_of_title)),
        output=answered_in(calls),
        agent_name=_NAME,
        conversation_id=first(calls[0].attributes, "session.id") if calls else "",
    )
    if around is not None:
        facts.agent_name = _agent_of(around, view) or "sub-agent"
        return Classification(Kind.AGENT, "opencode.sub_agent", facts=facts)
    facts.notes = OPENCODE if is_made_root(span) else ()
    if not view.remember_tree(has_turns):
        facts.notes = (*facts.notes, *OPENCODE_PLAIN)
    facts.metadata = read_place([span.attributes])
    last = view.remember_tree(last_call)
    is_cut = bool(calls) and last in view.remember_tree(lost_calls)
    return Classification(
        Kind.AGENT, "opencode.run", facts=facts, is_cancelled=is_cut, error=failure_of(calls)
    )


def _agent_of(tool: Span, view: TraceView) -> str:
    call_id = first(tool.attributes, "tool.call_id", "ai.toolCall.id")
    reported = view.remember_tree(_tools).get(call_id)
    return agent_in(reported.attributes.get("ai.toolCall.args", "")) if reported is not None else ""
