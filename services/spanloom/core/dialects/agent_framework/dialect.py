"""Microsoft Agent Framework: scope ``agent_framework``, GenAI operations and workflow spans.

``workflow.run`` is the run of a workflow that the author composed: a graph. Building it
(``workflow.build``, in a separate trace), passing messages and running executors are not steps.
Agents repeat the sum of their calls' usage.

An agent whose tool needs approval ends its answer with a ``function_approval_request``; the run
that continues it has a ``function_approval_response`` as input.

Verified on captures of 1.23.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.agent_framework.approvals import read_answer, read_question
from spanloom.core.dialects.otel_genai.dialect import OtelGenAI, operation_of
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "agent_framework"
_RUN = "workflow.run"
_OUTPUT = "gen_ai.output.messages"


class AgentFramework(OtelGenAI):
    """The GenAI conventions as the Agent Framework writes them."""

    id = "agent_framework"
    own_scope = _SCOPE

    def recognises(self, signature: Signature) -> bool:
        """Recognise by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify by operation; workflow spans, which have none, by their fixed names."""
        operation = operation_of(span)
        if operation == "invoke_agent":
            question = read_question(span.attributes.get(_OUTPUT, ""))
            return Classification(Kind.AGENT, "agent_framework.invoke_agent", question=question)
        if operation:
            return super().classify(span, view)
        if span.name == _RUN:
            return Classification(Kind.GRAPH, "agent_framework.workflow_run")
        return Classification(Kind.OTHER, "agent_framework.plumbing")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, and ``workflow.name`` of a workflow."""
        facts = super().describe(span, kind)
        if kind is Kind.AGENT and (answer := read_answer(facts.input)):
            facts.input, facts.is_resuming = answer, True
        if kind is Kind.GRAPH:
            facts.agent_name = facts.agent_name or span.attributes.get("workflow.name", "")
        return facts
