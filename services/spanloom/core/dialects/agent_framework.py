"""Microsoft Agent Framework: scope ``agent_framework``, GenAI operations and workflow spans.

``workflow.run`` is the run of a workflow that the author composed, so it is a graph. Building the
workflow (``workflow.build``, in a separate trace), passing messages and running executors are not
steps. An agent's span repeats the summed usage of its model calls.

An agent whose tool needs approval ends its answer with a ``function_approval_request``; the input
of the next run, which continues the work, is a ``function_approval_response``.

Verified on captures of version 1.23.
"""

from collections.abc import Sequence

from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, json_value

_SCOPE = "agent_framework"
_RUN = "workflow.run"
_OUTPUT = "gen_ai.output.messages"


class AgentFramework(OtelGenAI):
    """The GenAI conventions as the Agent Framework writes them."""

    id = "agent_framework"
    own_scope = _SCOPE
    scopes = ("agent_framework",)
    marks = ("agent_framework.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; workflow spans, which have none, by their fixed names."""
        operation = operation_of(span)
        if operation == "invoke_agent":
            question = read_question(span.attributes.get(_OUTPUT, ""))
            return Classification(Kind.AGENT, "agent_framework.invoke_agent", question=question)
        if operation:
            return super().classify(span, view)
        if span.name == _RUN:
            return Classification(Kind.GRAPH, "agent_framework.workflow_run")
        return Classification(Kind.OTHER, "agent_framework.plumbing", is_unknown=True)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, and ``workflow.name`` of a workflow."""
        facts = super().describe(span, kind)
        if kind is Kind.AGENT and (answer := read_answer(facts.input)):
            facts.input, facts.is_resuming = answer, True
        if kind is Kind.GRAPH:
            facts.agent_name = facts.agent_name or span.attributes.get("workflow.name", "")
        return facts


# Approvals: the agent's question to a person, and the person's decision.

_REQUEST, _RESPONSE = "function_approval_request", "function_approval_response"


def read_question(messages: str) -> str | None:
    """Return the tools that the last output message asks to approve; ``None`` if there are none."""
    requests = _parts(messages, _REQUEST)
    return as_question([_read_call(part) for part in requests]) if requests else None


def read_answer(messages: str) -> str:
    """Return a person's decisions in the last input message as JSON; empty if there are none."""
    decisions = _parts(messages, _RESPONSE)
    return as_question([{**_read_call(p), "approved": p.get("approved")} for p in decisions])


def _parts(messages: str, kind: str) -> Sequence[dict[str, Json]]:
    parsed = json_value(messages) if kind in messages else None
    last = parsed[-1] if isinstance(parsed, list) and parsed else None
    parts = last.get("parts") if isinstance(last, dict) else None
    listed = parts if isinstance(parts, list) else []
    return [part for part in listed if isinstance(part, dict) and part.get("type") == kind]


def _read_call(part: dict[str, Json]) -> dict[str, Json]:
    call = part.get("function_call")
    call = call if isinstance(call, dict) else {}
    return ask_to_run(call.get("name"), call.get("arguments"))


DIALECTS = (AgentFramework(),)
