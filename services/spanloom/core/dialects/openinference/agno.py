"""Agno under OpenInference: scope ``openinference.instrumentation.agno``.

``X.run`` has kind ``AGENT`` for an agent (``agno.agent``) and for a team (``agno.team``). A team is
an agent, because it has a leader with its own model, which calls members by the tool
``delegate_task_to_member``. A workflow (``agno.workflow.*``, kind ``CHAIN``) is a graph; the spans
of its nodes (``X.execute``) are not steps. ``session.id`` is always set, to a random id if the
author sets none. ``run()`` returns an error as an answer; the status of the agent's span is then
``run status: error``.

Verified on captures of agents, some with failures, of a team and of a workflow (1.0.15).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.agno"
_RUN = Classification(Kind.AGENT, "openinference_agno.run")
_WORKFLOW = Classification(Kind.GRAPH, "openinference_agno.workflow")
_OF_A_RUN = ("agno.agent", "agno.agent.id", "agno.team", "agno.team.id")
_OF_A_WORKFLOW = "agno.workflow."
_RUN_METHODS = frozenset({"run", "arun"})


class OpenInferenceAgno(OpenInference):
    """OpenInference as its Agno instrumentation writes it."""

    id = "openinference_agno"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify agents and teams by kind or attributes, workflows by keys, the rest by kind."""
        attributes, kind = span.attributes, span_kind(span)
        if kind == "AGENT" or any(key in attributes for key in _OF_A_RUN):
            return _RUN
        if kind in ("CHAIN", "") and _is_workflow(span):
            return _WORKFLOW
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes, and the name that the author gave the agent or team."""
        facts = super().describe(span, kind)
        if kind is Kind.AGENT:
            name = first(span.attributes, "agent.name", "agno.agent", "agno.team")
            facts.agent_name = name or span.name.rpartition(".")[0]
        return facts


def _is_workflow(span: Span) -> bool:
    has_key = any(key.startswith(_OF_A_WORKFLOW) for key in span.attributes)
    return has_key or span.name.rpartition(".")[2] in _RUN_METHODS
