"""Vercel AI SDK 7 (``@ai-sdk/otel``): GenAI attributes, scope ``gen_ai``.

Every ``generateText`` has ``invoke_agent``, even if it wraps a single model call without tools; the
span's name contains the model, ``gen_ai.agent.name`` is the agent's name. ``agent_step`` is a turn
of the loop, not a step. An agent's span repeats the summed usage of its model calls. Reasoning
tokens are reported only if the application enables ``ai.usage.*`` details. Tool results are JSON,
so strings are in quotes. A run's answer is one message: the text of the last turn, then the tool
calls and results of all turns.

Verified on captures of version 7.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.genai import OFFERED_TOOLS
from spanloom.core.conventions.view import loops_over_tools
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first_integer, json_value, unquoted, written

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "gen_ai"
_REASONING = "ai.usage.outputTokenDetails.reasoningTokens"
_OF_TOOLS = ("tool_call", "tool_call_response")
_CALLS = frozenset({"chat", "text_completion", "generate_content"})


def _is_tool(span: Span) -> bool:
    return operation_of(span) == "execute_tool"


def _is_call(span: Span) -> bool:
    return operation_of(span) in _CALLS


def _offers_tools(span: Span) -> bool:
    return span.attributes.get(OFFERED_TOOLS, "[]") != "[]"


class VercelAIGenAI(OtelGenAI):
    """The GenAI conventions as the ``ai`` package writes them from version 7 on."""

    id = "vercel_ai_genai"
    own_scope = _SCOPE
    scopes = ("gen_ai$",)
    marks = ("gen_ai.client.operation.duration", "gen_ai.execute_tool.duration")

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; a run by whether it loops over tools."""
        if operation_of(span) != "invoke_agent":
            return super().classify(span, view)
        if loops_over_tools(span, view, _is_tool, _is_call, _offers_tools):
            return Classification(Kind.AGENT, "vercel_ai_genai.tool_loop")
        return Classification(Kind.OTHER, "vercel_ai_genai.bare_call")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, and the SDK's own usage details."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            facts.output = unquoted(facts.output)
        elif facts.usage is not None and _REASONING in span.attributes:
            reasoning = first_integer(span.attributes, _REASONING)
            facts.usage = facts.usage._replace(reasoning_tokens=reasoning)
        if operation_of(span) == "invoke_agent":
            facts.output = _without_calls(facts.output)
        return facts


def _without_calls(output: str) -> str:
    """Return the answer without the tool calls and results that preceded it, if it has a text."""
    answer = json_value(output)
    message = answer[0] if isinstance(answer, list) and len(answer) == 1 else None
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(parts, list):
        return output
    own = [part for part in parts if _type_of(part) not in _OF_TOOLS]
    if not any(_type_of(part) == "text" for part in own):
        return output
    return written([{**message, "parts": list[Json](own)}])


def _type_of(part: Json) -> Json:
    return part.get("type") if isinstance(part, dict) else None


DIALECTS = (VercelAIGenAI(),)
