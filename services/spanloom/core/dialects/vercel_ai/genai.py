"""Vercel AI SDK 7 (``@ai-sdk/otel``): GenAI attributes under a scope that is just ``gen_ai``.

``invoke_agent`` stands on every ``generateText``, also on one that wraps a single bare call; the
span's name has the model, the agent's name is in ``gen_ai.agent.name``. ``agent_step`` is a turn
of the loop and no step. Agents repeat the sum of their calls' usage. Reasoning tokens are told only
where the application asks for ``ai.usage.*`` details. Results of tools are JSON, texts in quotes.

Verified on captures of 7.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.otel_genai.dialect import OtelGenAI, operation_of
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.reading.genai_facts import OFFERED_TOOLS
from spanloom.core.reading.tool_loop import loops_over_tools
from spanloom.core.reading.values import first_integer, unquoted

if TYPE_CHECKING:
    from spanloom.core.model.span import Span
    from spanloom.core.reading.signature import Signature
    from spanloom.core.reading.view import TraceView

_SCOPE = "gen_ai"
_REASONING = "ai.usage.outputTokenDetails.reasoningTokens"
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

    def recognises(self, signature: Signature) -> bool:
        """By the scope."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By the operation; a run by what it did."""
        if operation_of(span) != "invoke_agent":
            return super().classify(span, view)
        if loops_over_tools(span, view, _is_tool, _is_call, _offers_tools):
            return Classification(Kind.AGENT, "vercel_ai_genai.tool_loop")
        return Classification(Kind.OTHER, "vercel_ai_genai.bare_call")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From the ``gen_ai.*`` attributes, and the SDK's own details of the usage."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            facts.output = unquoted(facts.output)
        elif facts.usage is not None and _REASONING in span.attributes:
            reasoning = first_integer(span.attributes, _REASONING)
            facts.usage = facts.usage._replace(reasoning_tokens=reasoning)
        return facts
