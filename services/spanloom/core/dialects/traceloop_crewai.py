"""CrewAI under OpenLLMetry: scope ``opentelemetry.instrumentation.crewai…``, keys ``crewai.*``.

A crew's (or flow's) run is ``crewai.workflow`` without a span kind: a graph. ``ROLE.agent`` is an
agent's work on a task, ``<text of the task>.task`` the frame around it and no step. Newer versions
write ``invoke_agent`` on all three, so the operation tells nothing here. Tools are not reported at
all; calls are the client's spans, with CrewAI's own ``LLM`` class also ``MODEL.llm`` around them,
which says only the requested model. A crew's tokens are sums, written as text.

No capture: after the instrumentation's documentation and source (0.40 to 0.62).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.traceloop import SPAN_KIND, Traceloop
from spanloom.core.dialects.values import first
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.dialects.base import TraceView
    from spanloom.core.model.span import Span

_SCOPE = "opentelemetry.instrumentation.crewai"

_KINDS = {
    "agent": Classification(Kind.AGENT, "traceloop_crewai.agent"),
    "task": Classification(Kind.OTHER, "traceloop_crewai.task"),
    "tool": Classification(Kind.TOOL, "traceloop_crewai.tool"),
    "workflow": Classification(Kind.GRAPH, "traceloop_crewai.run"),
    "llm": Classification(Kind.MODEL, "traceloop_crewai.llm"),
}


class TraceloopCrewAI(Traceloop):
    """OpenLLMetry's attributes as its CrewAI instrumentation writes them."""

    id = "traceloop_crewai"

    def recognises(self, span: Span) -> bool:
        """By the scope, which is the module that makes the spans."""
        return span.scope_name.startswith(_SCOPE)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """By span kind, which the last word of the name repeats; calls by operation."""
        kind = span.attributes.get(SPAN_KIND) or span.name.rpartition(".")[2]
        return _KINDS.get(kind) or super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``crewai.*``; what an agent was asked is the text of its task."""
        said, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.AGENT:
            facts.agent_name = first(said, "crewai.agent.role") or span.name.removesuffix(".agent")
        elif kind is Kind.GRAPH:
            facts.agent_name = first(said, "crewai.crew.name", "crewai.flow.name")
            facts.output = first(said, "crewai.crew.result", "crewai.flow.result") or facts.output
        return facts
