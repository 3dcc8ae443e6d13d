"""CrewAI under OpenLLMetry: scope ``opentelemetry.instrumentation.crewai…``, keys ``crewai.*``.

A crew's run is ``crewai.workflow``, without a span kind, and is a graph. ``ROLE.agent`` is an
agent's work on a task, ``<text of the task>.task`` the wrapper of this span, not a step; a task
that runs in parallel with others, or is delegated, has no wrapper. Newer versions set
``invoke_agent`` on all three spans, so the operation is ignored. Flows, tools and agents that are
called directly have no spans, and a fully asynchronous run has only the model client's spans, each
in a separate trace.

Model calls are reported by the model client's spans. Model calls of CrewAI's own ``LLM`` class,
which uses LiteLLM, are wrapped in ``MODEL.llm``, which has only the requested model, no usage, and
tool calls as reprs of LiteLLM's objects. An agent's span repeats the summed usage of its model
calls, a crew's span that of all model calls, as a string.

Verified on captures of crews, hierarchies, delegation, flows and LiteLLM (0.62.4; scope version
0.36.0). Known only from documentation: spans of kind ``tool``, ``crewai.flow.*``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.traceloop.attributes import SPAN_KIND
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_value, written
from spanloom.core.values.python_repr import objects_as_json

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

_SCOPE = "opentelemetry.instrumentation.crewai"
_WRITTEN_CALL = "function=Function("
"""A substring of the repr of LiteLLM's tool calls, from an answer or assembled from a stream."""

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
    marks = ("crewai.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, which is the module that creates the spans."""
        return signature.scope_name.startswith(_SCOPE)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by span kind, or else by the last part of the span's name.

        Spans of other kinds are classified as ``Traceloop`` does.
        """
        kind = span.attributes.get(SPAN_KIND) or span.name.rpartition(".")[2]
        return _KINDS.get(kind) or super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``crewai.*``; the request to a crew is the text of its tasks."""
        attributes, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.AGENT:
            role = attributes.get("crewai.agent.role", "") or span.name.removesuffix(".agent")
            facts.agent_name = role.strip()  # roles from YAML end with a line feed
        elif kind is Kind.GRAPH:
            facts.agent_name = first(attributes, "crewai.crew.name", "crewai.flow.name")
            facts.input = facts.input or _tasks(attributes.get("crewai.crew.tasks", ""))
            facts.output = (
                first(attributes, "crewai.crew.result", "crewai.flow.result") or facts.output
            )
        elif kind is Kind.MODEL and _WRITTEN_CALL in facts.output:
            facts.output = _with_calls(facts.output)
        return facts


def _tasks(text: str) -> str:
    """Return the descriptions of a crew's tasks, in order; empty if they have placeholders."""
    tasks = json_value(text)
    texts = [
        description
        for task in (tasks if isinstance(tasks, list) else ())
        if isinstance(task, dict) and isinstance(description := task.get("description"), str)
    ]
    return "" if any("{" in description for description in texts) else "\n\n".join(texts)


def _with_calls(text: str) -> str:
    """Return the messages, with tool calls parsed from the Python reprs in their texts."""
    messages = json_value(text)
    if not isinstance(messages, list):
        return text
    try:
        return written([_with_its_calls(message) for message in messages])
    except TypeError:  # nested deeper than the JSON writer allows
        return text


def _with_its_calls(message: Json) -> Json:
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(parts, list) or len(parts) != 1:
        return message
    content = parts[0].get("content") if isinstance(parts[0], dict) else None
    payload = json_value(objects_as_json(content)) if isinstance(content, str) else None
    calls = [_call(call) for call in payload] if isinstance(payload, list) else []
    return {"role": message.get("role"), "tool_calls": calls} if calls and all(calls) else message


def _call(payload: Json) -> Json:
    """Return a tool call's id and function; a call assembled from a stream has no id."""
    if not isinstance(payload, dict) or not isinstance(payload.get("function"), dict):
        return None
    known = {key: value for key in ("id", "function") if (value := payload.get(key))}
    return {"type": "function", **known}
