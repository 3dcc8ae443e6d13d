"""Mastra's exporter for OpenInference (``@mastra/arize``): scope ``@mastra/otel``.

All spans except agents and tools have kind ``LLM``, so spans are classified by name. ``workflow.X``
is a graph; the spans of its nodes and branches (``workflow step: …``) are not steps. ``chat MODEL``
is an agent's whole loop, in which ``step: N`` is one model call; ``chunk: …`` are chunks of its
stream, including the tools' results. Tokens are reported for the loop only, not per model call, so
the last model call gets their sum. A failed model call is reported only by a chunk.

Verified on runs of @mastra/core 0.24 with @mastra/arize 0.1.1: agents, streams, a workflow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import SPAN_KIND, OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object, json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "@mastra/otel"
_GRAPH = Classification(Kind.GRAPH, "openinference_mastra.workflow")
_CALL = Classification(Kind.MODEL, "openinference_mastra.step")
_LOOP = Classification(Kind.OTHER, "openinference_mastra.loop")
_PIECE = Classification(Kind.OTHER, "openinference_mastra.plumbing")


class OpenInferenceMastra(OpenInference):
    """OpenInference as Mastra's exporter writes it."""

    id = "openinference_mastra"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name and a kind: Mastra's other exporter sets no kind."""
        return signature.scope_name == _SCOPE and SPAN_KIND in signature.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify a span by its kind, but a span of kind ``LLM`` by its name.

        Mastra gives the kind ``LLM`` to workflows, loops and chunks too.
        """
        if span_kind(span) != "LLM":
            return super().classify(span, view)
        if span.name.startswith("workflow."):
            return _GRAPH
        if span.name.startswith(("workflow ", "chunk: ")):
            return _PIECE
        if _is_call(span):
            loop = _loop_ended_by(span, view)
            usage = super().describe(loop, Kind.MODEL).usage if loop is not None else None
            return _CALL._replace(usage=usage)
        return _LOOP if view.remember_children(_last_call, span) else super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes; agents and workflows keep their own names."""
        facts = super().describe(span, kind)
        if kind in (Kind.AGENT, Kind.GRAPH):
            facts.agent_name = span.name.partition(".")[2] or span.name
        elif _is_call(span):
            _describe_call(span, facts)
        return facts


def _describe_call(span: Span, facts: Facts) -> None:
    """Set the messages from the request body, and the text of an answer without tool calls."""
    body = json_object(span.attributes.get("input.value", "")).get("body")
    request = json_object(body) if isinstance(body, str) else {}
    answer = json_object(span.attributes.get("output.value", ""))
    facts.input = json_text(request["messages"]) if "messages" in request else facts.input
    facts.model = facts.model or str(request.get("model", ""))
    if not answer.get("toolCalls") and isinstance(text := answer.get("text"), str):
        facts.output = text


def _is_call(span: Span) -> bool:
    return span.name.startswith("step: ")


def _last_call(children: Sequence[Span]) -> str:
    calls = [(child.start_ns, child.span_id) for child in children if _is_call(child)]
    return max(calls)[1] if calls else ""


def _loop_ended_by(call: Span, view: TraceView) -> Span | None:
    """Return the loop, which has the sum of tokens, if ``call`` is its last call, else ``None``."""
    loop = view.tree.parent(call)
    if loop is None or view.remember_children(_last_call, loop) != call.span_id:
        return None
    return loop
