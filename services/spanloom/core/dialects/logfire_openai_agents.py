"""OpenAI Agents under Logfire (``instrument_openai_agents``): scope ``logfire.openai_agents``.

Spans are named after their message template, which is fixed for each type of SDK span:
``Agent run: …``, ``Function: …``, ``Responses API …``; the agent's or tool's name is in ``name``.
Spans of the trace, a task or a turn belong to the SDK's loop and are not steps; their ``usage``
repeats the usage of model calls. A handoff is a tool that the model called. A model call has
Logfire's GenAI token counts. Its request is in ``raw_input`` and its answer in ``response``, or
both are chat messages, in ``input`` and ``output``.

Verified on captures of both of OpenAI's APIs, handoffs, agents as tools, streams and failures
(5.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.conventions.pauses import SpanReader, ToolRun, with_answer, with_question
from spanloom.core.conventions.usage import read_payload
from spanloom.core.dialects.base import Dialect
from spanloom.core.model.span import GUARDRAIL, Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, json_object, json_value, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "logfire.openai_agents"
_AGENT, _TOOL, _GUARDRAIL = "Agent run", "Function", "Guardrail"
_RULES = {
    _AGENT: Classification(Kind.AGENT, "logfire_openai_agents.agent_run"),
    _TOOL: Classification(Kind.TOOL, "logfire_openai_agents.function"),
    "Handoff": Classification(Kind.TOOL, "logfire_openai_agents.handoff"),
    _GUARDRAIL: Classification(Kind.GRAPH, "logfire_openai_agents.guardrail"),
    "Responses API": Classification(Kind.MODEL, "logfire_openai_agents.response"),
    "Chat completion": Classification(Kind.MODEL, "logfire_openai_agents.generation"),
}
_PLUMBING = Classification(Kind.OTHER, "logfire_openai_agents.plumbing")
_LOOP = ("OpenAI Agents trace", "Task", "Turn")
_FOREIGN = _PLUMBING._replace(is_unknown=True)
_USAGES = ("gen_ai.usage.raw", "usage")


class LogfireOpenAIAgents(Dialect):
    """The spans of the OpenAI Agents SDK as Logfire writes them."""

    id = "logfire_openai_agents"
    before = ("logfire",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by the message template in the span's name."""
        rule = _rule(span)
        if rule is _RULES[_AGENT]:
            return with_answer(rule, span, view, _TELLER)
        return with_question(rule, span, view, _TELLER) if rule is _RULES[_TOOL] else rule

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the SDK's own attributes, and for model calls Logfire's ``gen_ai.*``."""
        attributes = span.attributes
        if kind is Kind.MODEL:
            return _describe_call(attributes)
        if kind is Kind.TOOL or span.name.startswith(_GUARDRAIL):
            return _describe_tool(span)
        facts = genai_facts.read_agent_run(attributes)
        facts.agent_name = attributes.get("name", "") if kind is Kind.AGENT else ""
        facts.conversation_id = facts.conversation_id or _text(attributes.get("group_id", ""))
        return facts


def _rule(span: Span) -> Classification:
    template = span.name
    unknown = _PLUMBING if template.startswith(_LOOP) else _FOREIGN
    return next((rule for word, rule in _RULES.items() if template.startswith(word)), unknown)


def _tool(span: Span) -> ToolRun | None:
    if not span.name.startswith(_TOOL):
        return None
    name, arguments, result = (span.attributes.get(key, "") for key in ("name", "input", "output"))
    return ToolRun(name, _text(arguments), result != "null")


def _call_input(span: Span) -> str:
    return first(span.attributes, "raw_input", "input") if _rule(span).kind is Kind.MODEL else ""


_TELLER = SpanReader(lambda span: span.name.startswith(_AGENT), _tool, _call_input)


def _describe_tool(span: Span) -> Facts:
    attributes, facts = span.attributes, genai_facts.read_tool_run(span.attributes)
    facts.tool_name = attributes.get("name", "")
    facts.input, facts.output = attributes.get("input", ""), attributes.get("output", "")
    if "to_agent" in attributes:
        facts.tool_name = f"handoff to {attributes['to_agent']}"
    if span.name.startswith(_GUARDRAIL):
        facts.data_kind = GUARDRAIL
    return facts


def _describe_call(attributes: Mapping[str, str]) -> Facts:
    facts = genai_facts.read_model_call(attributes)
    response = json_object(attributes.get("response", ""))
    facts.input = attributes.get("input", "") or _request(attributes.get("raw_input", ""), response)
    facts.output = _text(attributes.get("output", "")) or _text_of(response.get("output"))
    facts.response_id = facts.response_id or _text(attributes.get("response_id", ""))
    usage = read_payload(json_object(first(attributes, *_USAGES)))
    facts.usage = facts.usage.completed_by(usage) if facts.usage else usage
    return facts


def _request(items: str, response: Mapping[str, Json]) -> str:
    """Return the sent items, preceded by the instructions, which only the response contains."""
    instructions, sent = response.get("instructions"), json_value(items)
    if not instructions or not isinstance(sent, list):
        return items
    return written([{"role": "system", "content": instructions}, *sent])


def _text_of(value: Json) -> str:
    return written(value) if value else ""


def _text(value: str) -> str:
    """Return the text; empty for ``null``."""
    return "" if value == "null" else value


DIALECTS = (LogfireOpenAIAgents(),)
