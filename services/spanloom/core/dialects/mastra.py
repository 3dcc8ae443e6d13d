"""Mastra's exporter for OpenTelemetry (``@mastra/otel-exporter``): GenAI operations.

Inputs and outputs are in ``mastra.{type of the span}.input`` and ``.output``, in the SDK's format.
A model call is a span ``chat`` with tokens and the answer's text; its messages and tool calls are
on the enclosing loop step (``agent_step``). The span of the whole loop (``model_generation``) has
the sum of the tokens.

Verified on runs of @mastra/core 1.71 with @mastra/otel-exporter 1.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.genai import write_answer
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, json_object

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "@mastra/otel-exporter"
_TYPE = "mastra.span.type"
_THREADS = ("mastra.metadata.threadId", "mastra.metadata.sessionId")


class Mastra(OtelGenAI):
    """The GenAI conventions as Mastra writes them."""

    id = "mastra"
    own_scope = _SCOPE
    scopes = ("@mastra",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; a call gets its messages from the enclosing loop step."""
        classification = super().classify(span, view)
        step = view.tree.parent(span)
        if classification.kind is not Kind.MODEL or step is None:
            return classification
        sent, received = _text(step, "input"), _text(step, "output")
        is_step = step.attributes.get(_TYPE) == "model_step"
        return classification._replace(facts=Facts(sent, received)) if is_step else classification

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, and Mastra's own text attributes."""
        facts = super().describe(span, kind)
        facts.input = facts.input or _text(span, "input")
        facts.output = facts.output or _text(span, "output")
        facts.conversation_id = facts.conversation_id or first(span.attributes, *_THREADS)
        return facts


def _text(span: Span, side: str) -> str:
    """Return the span's input or output; an answer as text, or as a message if it calls tools."""
    attributes = span.attributes
    text = attributes.get(f"mastra.{attributes.get(_TYPE, '')}.{side}", "")
    answer = json_object(text) if side == "output" else {}
    content, calls = answer.get("text"), answer.get("toolCalls")
    if not isinstance(content, str):
        return text
    listed: list[Json] = calls if isinstance(calls, list) else []
    return write_answer(content, [call for call in listed if isinstance(call, dict)])


DIALECTS = (Mastra(),)
