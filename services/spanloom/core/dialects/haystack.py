"""Haystack 2: its own tracing (scope ``haystack``) and OpenLLMetry's spans around it.

``haystack.pipeline.run`` is a graph, ``haystack.agent.run`` an agent. An agent in a pipeline has
the name of its component (the parent ``haystack.component.run``); outside a pipeline it has no
name. Other components are not steps. An agent's tools run inside its ``ToolInvoker`` and have no
spans. Inputs and outputs are reported only with ``HAYSTACK_CONTENT_TRACING_ENABLED``.

OpenLLMetry (scope ``opentelemetry.instrumentation.haystack``) reports a pipeline's run again, in an
enclosing span that is always named ``haystack_pipeline.workflow``. Its span
``haystack.openai.chat`` has neither model nor usage, and instead of the answer only the name of the
field, ``replies``; the model client's span below it has model, usage and answer.

Verified on captures of pipelines, some with failures, and of agents outside and inside a pipeline
(Haystack 2.x; OpenLLMetry 0.62.4).
"""

from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.traceloop.attributes import SPAN_KIND
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, plain_arguments

_SCOPE = "haystack"
_AROUND = "opentelemetry.instrumentation.haystack"
_SCOPES = frozenset({_SCOPE, _AROUND})
_PIPELINES = frozenset({"haystack.pipeline.run", "haystack.async_pipeline.run"})
_AGENT = "haystack.agent.run"
_NO_ANSWER = "replies"
_PIPELINE = Classification(Kind.GRAPH, "haystack.pipeline")


class Haystack(Traceloop):
    """Haystack's own spans, and OpenLLMetry's spans of Haystack."""

    id = "haystack"
    own_keys = ("haystack.", "traceloop.")
    scopes = ("haystack",)
    marks = own_keys

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name in _SCOPES

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by name, OpenLLMetry's spans by span kind, model calls by operation."""
        if span.scope_name == _AROUND:
            is_pipeline = span.attributes.get(SPAN_KIND) == "workflow"
            return _PIPELINE if is_pipeline else super().classify(span, view)
        parent = view.tree.parent(span)
        if span.name in _PIPELINES:
            return _pipeline(parent)
        if span.name == _AGENT:
            named = parent.attributes.get("haystack.component.name", "") if parent else ""
            return Classification(Kind.AGENT, "haystack.agent", facts=Facts(agent_name=named))
        return Classification(Kind.OTHER, "haystack.component")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenLLMetry's attributes, or if they are missing Haystack's attributes."""
        attributes, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.MODEL:
            if attributes.get("gen_ai.completion.0.content") == _NO_ANSWER:
                facts.output = ""
        elif kind is not Kind.OTHER:
            arguments = facts.input or first(
                attributes, "haystack.agent.input", "haystack.pipeline.input_data"
            )
            facts.input = plain_arguments(arguments)
            facts.output = facts.output or attributes.get("haystack.agent.output", "")
        return facts


def _pipeline(parent: Span | None) -> Classification:
    """Classify a pipeline's run; below OpenLLMetry's span of the same run it is a second report."""
    if parent is None or parent.scope_name != _AROUND:
        return _PIPELINE
    return Classification(Kind.GRAPH, "haystack.pipeline_reported_again", parent.span_id)


DIALECTS = (Haystack(),)
