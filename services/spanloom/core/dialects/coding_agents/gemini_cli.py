"""Google's Gemini CLI (scope ``gemini-cli``): a trace per model call and per batch of tool runs.

``llm_call`` is a model call, ``tool_call`` a tool run, ``agent_call`` a sub-agent inside the tool
run that started it. The whole run has no span, so the first prompt becomes its root. Log records
contain the cached tokens and, if traces are switched off, also the texts. They have the prompt's
id, but usually no span id.

Verified on runs of version 0.61.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_records import What
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.coding_agents.answers import read_chunks
from spanloom.core.dialects.coding_agents.calls import error_of, read_calls
from spanloom.core.dialects.coding_agents.gemini_tools import (
    INPUT,
    OUTPUT,
    classify_tool,
    describe_tool,
)
from spanloom.core.dialects.coding_agents.reported import (
    find_call,
    index_calls,
)
from spanloom.core.dialects.coding_agents.tools import (
    word_of,
)
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object, unquoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.dialects.coding_agents.calls import Call
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree
    from spanloom.core.values.attributes import Json

SCOPE = "gemini-cli"
_CALL, _TOOL, _AGENT = "llm_call", "tool_call", "agent_call"
_PLUMBING = Classification(Kind.OTHER, "gemini_cli.plumbing", is_sound=True)


class GeminiCLI(Dialect):
    """Reads the spans of Gemini CLI."""

    id = "gemini_cli"
    own_scope = SCOPE
    scopes = ("gemini", "qwen")

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by name, and add facts from log records."""
        if span.name == _CALL:
            return _classify_call(span, view)
        if span.name == _TOOL:
            return classify_tool(span, view)
        if span.name == _AGENT:
            return _classify_agent(span, view)
        return _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes; arguments and results are wrapped in JSON objects."""
        attributes = _plain(span.attributes)
        if kind is Kind.MODEL:
            facts = genai_facts.read_model_call(attributes)
            facts.agent_name = ""
            return facts
        facts = Facts(conversation_id=attributes.get("gen_ai.conversation.id", ""))
        if kind is Kind.TOOL:
            describe_tool(attributes, facts)
        elif kind is Kind.AGENT:
            arguments = json_object(attributes.get(INPUT, ""))
            facts.input = word_of(arguments.get("prompt"))
            facts.agent_name = word_of(arguments.get("agent_name"))
            facts.output = _text_in(json_object(attributes.get(OUTPUT, "")))
        return facts


def _plain(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Return the attributes with the instructions as plain text; they are sent as a JSON string."""
    system = attributes.get("gen_ai.system_instructions", "")
    if not system.startswith('"'):
        return attributes
    return {**attributes, "gen_ai.system_instructions": unquoted(system)}


def _text_in(result: Mapping[str, Json]) -> str:
    """Return the text of a sub-agent's result."""
    content = result.get("llmContent")
    parts = content if isinstance(content, list) else [content]
    texts = [
        p if isinstance(p, str) else word_of(p.get("text"))
        for p in parts
        if isinstance(p, (str, dict))
    ]
    return "\n".join(filter(None, texts))


def _calls_by_span(tree: SpanTree) -> Mapping[str, Call]:
    """Return the model calls that log records report, keyed by the id of the call's span."""
    spans = index_calls(tree)
    found: dict[str, Call] = {}
    for call in read_calls(tree):
        for event in call.events:
            if (span := find_call(event, spans)) is not None:
                found.setdefault(span.span_id, call)
    return found


def _classify_call(span: Span, view: TraceView) -> Classification:
    call = view.remember_tree(_calls_by_span).get(span.span_id)
    if call is None:
        return Classification(Kind.MODEL, "gemini_cli.call")
    attributes = span.attributes
    sent, received = attributes.get(INPUT), attributes.get(OUTPUT)
    end = call.end
    has_failed = end is not None and end.what is What.FAILURE
    facts = Facts(
        input="" if sent else call.get(keys.SENT),
        output="" if received or has_failed or end is None else read_chunks(end.get(keys.RECEIVED)),
        model=call.get(keys.MODELS),
        total_tokens=end.total if end is not None else 0,
    )
    error = error_of(end) if end is not None and has_failed else None
    return Classification(Kind.MODEL, "gemini_cli.call", usage=call.usage, facts=facts, error=error)


def _names_of_agents(tree: SpanTree) -> Mapping[str, str]:
    """Return the names of sub-agents, keyed by the id of the span with their start event."""
    started = (e for e in read_events(tree) if e.what is What.STARTED)
    return {e.holder.span_id: e.get(keys.AGENTS) for e in started}


def _classify_agent(span: Span, view: TraceView) -> Classification:
    facts = Facts(agent_name=view.remember_tree(_names_of_agents).get(span.span_id, ""))
    return Classification(Kind.AGENT, "gemini_cli.sub_agent", facts=facts)
