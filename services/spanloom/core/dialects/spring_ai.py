"""Spring AI: ``spring.ai.kind`` on its own spans, GenAI attributes on calls.

A chat client is the tool loop of an application: an agent if it ran or was offered tools, else a
wrapper of one call. Advisors are interceptors around the call and no steps. Tools have names of
their own (``spring.ai.tool.*``). Counts are strings, and what is not known is ``none``, as the
model of the answer to a call that failed. Prompts and answers go to the application's log only.

No capture: after the source of Spring AI 2.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.otel_genai import OPERATION, OtelGenAI
from spanloom.core.dialects.tool_loop import loops_over_tools
from spanloom.core.dialects.values import first
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span

KIND = "spring.ai.kind"
_SCOPE = "org.springframework.boot"
_NOT_KNOWN = "none"
_MODELS = ("gen_ai.response.model", "gen_ai.request.model")
_OFFERED = (
    "spring.ai.chat.client.tool.names",
    "spring.ai.chat.client.tool.function.names",
    "spring.ai.model.request.tool.names",
)
_TOOL_METADATA = {
    "spring.ai.tool.call.id": "tool_call_id",
    "spring.ai.tool.definition.description": "tool_description",
}


def _is_tool(span: Span) -> bool:
    return span.attributes.get(KIND) == "tool_call"


def _is_call(span: Span) -> bool:
    return span.attributes.get(OPERATION) == "chat" and KIND not in span.attributes


def _offers_tools(span: Span) -> bool:
    return any(span.attributes.get(key, "[]") not in ("", "[]") for key in _OFFERED)


class SpringAI(OtelGenAI):
    """The observations of Spring AI as Micrometer exports them."""

    id = "spring_ai"

    def recognises(self, span: Span) -> bool:
        """By Spring AI's kind, or the application's scope with a GenAI operation."""
        said = span.attributes
        return KIND in said or (span.scope_name == _SCOPE and OPERATION in said)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By Spring AI's kind, else by the operation; a client by what it did."""
        kind = span.attributes.get(KIND, "")
        if kind == "tool_call":
            return Classification(Kind.TOOL, "spring_ai.tool_call")
        if kind == "vector_store":
            return _classify_store(span)
        if kind == "chat_client":
            if loops_over_tools(span, view, _is_tool, _is_call, _offers_tools):
                return Classification(Kind.AGENT, "spring_ai.chat_client")
            return Classification(Kind.OTHER, "spring_ai.bare_call")
        if kind:
            return Classification(Kind.OTHER, "spring_ai.plumbing")
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From the ``gen_ai.*`` attributes and ``spring.ai.*``."""
        said, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.TOOL and KIND in said:
            facts.tool_name = first(said, "spring.ai.tool.definition.name", "db.collection.name")
            facts.input = first(said, "spring.ai.tool.call.arguments", "db.vector.query.content")
            facts.output = first(
                said, "spring.ai.tool.call.result", "db.vector.query.response.documents"
            )
            facts.data_kind = "retrieval" if said[KIND] == "vector_store" else ""
            found = {n: said[k] for k, n in _TOOL_METADATA.items() if said.get(k)}
            facts.metadata = {**facts.metadata, **found}
        elif kind is Kind.MODEL and facts.model == _NOT_KNOWN:
            known = (said.get(key, "") for key in _MODELS)
            facts.model = next((name for name in known if name not in ("", _NOT_KNOWN)), "")
        facts.conversation_id = facts.conversation_id or first(
            said, "spring.ai.chat.client.conversation.id"
        )
        return facts


def _classify_store(span: Span) -> Classification:
    if span.attributes.get("db.operation.name", "query") == "query":
        return Classification(Kind.TOOL, "spring_ai.vector_query")
    return Classification(Kind.OTHER, "spring_ai.vector_update")
