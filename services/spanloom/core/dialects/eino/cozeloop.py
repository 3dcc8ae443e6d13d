"""Eino under its ``cozeloop`` callback: the tag ``eino_run_info_component`` on every span.

The span type is Coze Loop's own type for some components, the component's name for others, and
``graph`` for a react agent; so spans are classified by component (``eino/runs.py``). An
application's own span around the run has no component, so the dialect ``cozeloop`` reads it. That
span passes the session on to the spans below it, as baggage. An agent's answer is on the span of
its Chain, or on that of its last step.

Verified on captures of cozeloop-go 0.1.20 with eino 0.9.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.cozeloop import SPAN_TYPE, TAG, describe_span
from spanloom.core.dialects.eino.runs import (
    AGENTS,
    Part,
    classify_part,
    is_resumed,
    read_answer,
    read_answer_usage,
    read_request,
)
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Facts, Span

COMPONENT = TAG + "eino_run_info_component"
_NAME = TAG + "eino_run_info_name"


_BY_SPAN_TYPE = {
    "agent": "Agent",
    "graph": "Graph",
    "model": "ChatModel",
    "tool": "Tool",
    "retriever": "Retriever",
    "embedding": "Embedding",
}
"""Components of spans without the tag, keyed by span type; other types equal the component."""


def _component(span: Span) -> str:
    attributes = span.attributes
    kind = attributes.get(SPAN_TYPE, "")
    return attributes.get(COMPONENT) or _BY_SPAN_TYPE.get(kind, kind)


def _read(span: Span, _view: TraceView) -> Part:
    return Part(_component(span), span.attributes.get(_NAME, "") or span.name)


class EinoCozeLoop(Dialect):
    """The convention as eino-ext's ``callbacks/cozeloop`` writes it."""

    id = "eino_cozeloop"
    before = ("cozeloop",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the tags for the component or its name."""
        return COMPONENT in signature.attributes or _NAME in signature.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by the component, its parents and its children."""
        return classify_part(span, view, _read)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the span like any span of a Coze Loop SDK; a run is named after its node."""
        attributes = span.attributes
        facts = describe_span(span, kind, _component(span).lower())
        if kind is Kind.MODEL and (facts.usage is None or not any(facts.usage)):
            facts.usage = read_answer_usage(facts.output)
        if facts.agent_name:
            facts.agent_name = attributes.get(_NAME, "") or span.name
            facts.is_resuming = is_resumed(facts.input)
            facts.input = read_request(facts.input)
            # An agent's output also has the events of the agents to which it handed over.
            own = _component(span) not in AGENTS
            facts.output = read_answer(facts.output) if own else ""
        return facts
