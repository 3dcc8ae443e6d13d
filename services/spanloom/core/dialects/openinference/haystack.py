"""Haystack under OpenInference: scope ``openinference.instrumentation.haystack``.

A pipeline (``Pipeline.run``) and its components (``Class.run``) have kind ``CHAIN``, generators
``LLM``; retrievers, rankers and embedders have their own kinds. A pipeline is a graph. The
component ``Agent`` is an agent, recognised only by its class and ``last_message`` in its output.
A component inside an agent is reported only if a component of the same class has run in a pipeline
before. Tools of agents, and agents outside a pipeline, are never reported. An agent's messages are
reprs. A prompt builder has kind ``LLM`` but calls no model: it has a template and no messages.

Verified on captures of retrieval and of agents in a pipeline (0.1.46).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, json_field, json_object
from spanloom.core.values.python_repr import last_text

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.haystack"
_AGENT = Classification(Kind.AGENT, "openinference_haystack.agent_component")
_PIPELINE = Classification(Kind.GRAPH, "openinference_haystack.pipeline")
_PROMPT_BUILDER = Classification(Kind.OTHER, "openinference_haystack.prompt_builder")
_PIPELINES = frozenset({"Pipeline", "AsyncPipeline"})
_USER = "ChatRole.USER"
_TEMPLATE = "llm.prompt_template."
_OF_A_CALL = ("llm.input_messages.", "llm.output_messages.", "llm.token_count.", "llm.model_name")


class OpenInferenceHaystack(OpenInference):
    """OpenInference as its Haystack instrumentation writes it."""

    id = "openinference_haystack"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify pipelines and agents by class, prompt builders by template, the rest by kind."""
        kind, cls = span_kind(span), span.name.partition(".")[0]
        if kind in ("LLM", "") and _only_builds_a_prompt(span):
            return _PROMPT_BUILDER
        if kind in ("CHAIN", ""):
            if cls in _PIPELINES:
                return _PIPELINE
            if cls == "Agent" or _answers_as_agent(span):
                return _AGENT
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes; agents and pipelines are named after their class."""
        facts = super().describe(span, kind)
        if kind in (Kind.AGENT, Kind.GRAPH):
            facts.agent_name = span.name.partition(".")[0]
        if kind is Kind.AGENT:
            facts.input = _request(facts.input)
            facts.output = _text_of(json_field(facts.output, "last_message")) or facts.output
        return facts


def _request(text: str) -> str:
    """Return the text of the last user message, or the whole input if there is none."""
    messages = json_field(text, "messages")
    for message in reversed(messages) if isinstance(messages, list) else ():
        if isinstance(message, str) and _USER in message:
            return _text_of(message) or text
    return text


def _text_of(message: Json) -> str | None:
    return last_text(message, "TextContent(text=") if isinstance(message, str) else None


def _answers_as_agent(span: Span) -> bool:
    output = span.attributes.get("output.value", "")
    return '"last_message"' in output and "last_message" in json_object(output)


def _only_builds_a_prompt(span: Span) -> bool:
    attributes = span.attributes
    has_template = any(key.startswith(_TEMPLATE) for key in attributes)
    return has_template and not any(key.startswith(_OF_A_CALL) for key in attributes)
