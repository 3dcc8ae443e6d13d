"""CrewAI under OpenInference: scope ``openinference.instrumentation.crewai…``.

One component of the instrumentation wraps functions, another (``…crewai._event_listener``) listens
to CrewAI's events; both set the same attributes. A crew (``crew_key``) and a flow (``flow_id``)
have kind ``CHAIN`` and a name that ends in ``.kickoff``; they are graphs. Functions called by a
flow (``flow.node.name``) are nodes of the flow. A span of kind ``AGENT`` is an agent that works on
one task (``ROLE.TASK._execute_core``, ``….execute``) or is called directly (``ROLE.kickoff``); the
role is its name. The first component does not report model calls; if the model client is
instrumented, its spans report them.

An agent's input is its configuration and its output a result object; the task and the raw answer
are extracted from them. If a crew has no inputs, its request is the text of its tasks.

Verified on captures of crews, flows, delegation and agents called directly, by both components
(1.1.21).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object, json_value

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.crewai"
_AGENT = Classification(Kind.AGENT, "openinference_crewai.agent_at_work")
_KICKOFF = Classification(Kind.GRAPH, "openinference_crewai.kickoff")
_FLOW_NODE = Classification(Kind.OTHER, "openinference_crewai.flow_node")
_RUN_KINDS = frozenset({"AGENT", "CHAIN", ""})
_OF_AN_AGENT = ("graph.node.id", "task_key", "agent_key", "agent.goal")
_OF_A_KICKOFF = ("crew_key", "flow_id")


class OpenInferenceCrewAI(OpenInference):
    """OpenInference as its CrewAI instrumentation writes it."""

    id = "openinference_crewai"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the scope name of the listener or of the wrapper."""
        return signature.scope_name.startswith(_SCOPE)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify model calls by kind, agents by kind or role, crews and flows by keys or name."""
        attributes, kind = span.attributes, span_kind(span)
        if kind not in _RUN_KINDS:
            return super().classify(span, view)
        if "flow.node.name" in attributes:
            return _FLOW_NODE
        if kind == "AGENT" or any(key in attributes for key in _OF_AN_AGENT):
            return _AGENT
        if any(key in attributes for key in _OF_A_KICKOFF) or span.name.endswith(".kickoff"):
            return _KICKOFF
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes, and task, role and raw answer of agents and crews."""
        facts = super().describe(span, kind)
        if kind in (Kind.AGENT, Kind.GRAPH):
            result = json_object(facts.output)
            if isinstance(raw := result.get("raw"), str):
                facts.output = raw
            if kind is Kind.AGENT:
                facts.agent_name = span.attributes.get("graph.node.id", "") or _role(span.name)
                facts.input = _task(span, facts.input, result.get("description"))
            else:
                facts.input = facts.input or _tasks(span)
        return facts


def _role(name: str) -> str:
    return name.partition(".")[0]


def _tasks(crew: Span) -> str:
    """Return the descriptions of the crew's tasks, in order, separated by empty lines."""
    tasks = json_value(crew.attributes.get("crew_tasks", ""))
    descriptions = (
        [t.get("description") for t in tasks if isinstance(t, dict)]
        if isinstance(tasks, list)
        else []
    )
    return "\n\n".join(text for text in descriptions if isinstance(text, str))


def _task(span: Span, text: str, description: object) -> str:
    """Return the task with the context from earlier tasks; empty for an agent without a task."""
    payload = json_object(text)
    if isinstance(messages := payload.get("messages"), str):
        return messages
    if "agent" not in payload:
        return text
    task = span.attributes.get("task_description", "") or description
    if not isinstance(task, str):
        return ""
    context = payload.get("context")
    return f"{task}\n\n{context}" if isinstance(context, str) and context else task
