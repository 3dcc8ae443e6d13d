"""Strands Agents: ``strands-agents`` as system or provider, messages in span events.

``invoke_graph`` and ``invoke_swarm`` are compositions of agents, so they are graphs. A cycle of the
event loop is not a step. An agent's usage is the sum since the Agent was created, not since the
start of this run. Messages are events (``gen_ai.user.message`` … ``gen_ai.choice``), in the newer
form one event with ``gen_ai.input.messages`` and ``gen_ai.output.messages``. The time to the first
token is in milliseconds, although the convention defines the attribute in seconds.

Verified on captures of version 1.62.
"""

from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import decimal

_SCOPE = "strands.telemetry.tracer"
_SYSTEM = "strands-agents"
_LATENCY_MS = "gen_ai.server.time_to_first_token"


class Strands(OtelGenAI):
    """The GenAI conventions as Strands Agents writes them."""

    id = "strands"
    before = ("mlflow",)
    keys_with_values = ("gen_ai.system", "gen_ai.provider.name")
    own_scope = _SCOPE
    scopes = (r"strands\.",)
    marks = ("event_loop.", "gen_ai.event.start_time")

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, or by the reported system or provider."""
        attributes = signature.attributes
        return signature.scope_name == _SCOPE or _SYSTEM in (
            attributes.get("gen_ai.system"),
            attributes.get("gen_ai.provider.name"),
        )

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation."""
        operation = operation_of(span)
        if operation == "invoke_agent":
            return Classification(Kind.AGENT, "strands.invoke_agent")
        if operation.startswith("invoke_"):
            return Classification(Kind.GRAPH, "strands.multi_agent_run")
        if not operation:
            return Classification(Kind.OTHER, "strands.plumbing", is_unknown=True)
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes; the messages are in the events."""
        facts = super().describe(span, kind)
        if kind is Kind.MODEL:
            facts.first_token_ms = decimal(span.attributes.get(_LATENCY_MS, ""))
        return facts


DIALECTS = (Strands(),)
