"""PydanticAI: scope ``pydantic-ai``, GenAI operations from version 3 of its format on.

In version 2 only calls have an operation: ``agent run`` and ``running tool`` are recognised by
their attributes. ``running N tools`` wraps the tools and is not a step. In a streamed run the tools
are children of the call, but belong to the agent. Agents report the whole conversation and its
final result.

Verified on captures of versions 2 and 5.
"""

from collections.abc import Mapping

from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, integer, json_text, json_value

_SCOPE = "pydantic-ai"
_MESSAGES = ("pydantic_ai.all_messages", "all_messages_events", "all_messages")
_AGENT_NAMES = ("gen_ai.agent.name", "agent_name")
_FIRST_NEW = "pydantic_ai.new_message_index"
"""Index of the run's first own message; missing in a run without history."""
_ATTEMPT = "pydantic_ai.model_request.attempt"
"""On each attempt of a ``FallbackModel`` that failed, inside the call that succeeded; such spans
have the agent's name too."""


class PydanticAI(OtelGenAI):
    """The GenAI conventions as PydanticAI writes them, under Logfire or plain OpenTelemetry."""

    id = "pydantic_ai"
    own_scope = _SCOPE

    def recognises(self, signature: Signature) -> bool:
        """Recognise by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify by operation; in version 2 by the attributes that name a tool or agent."""
        attributes = span.attributes
        operation = operation_of(span)
        if operation == "invoke_agent":
            return Classification(Kind.AGENT, "pydantic_ai.invoke_agent")
        if operation:
            return super().classify(span, view)
        if "gen_ai.tool.name" in attributes:
            return Classification(Kind.TOOL, "pydantic_ai.running_tool")
        if _ATTEMPT not in attributes and first(attributes, *_AGENT_NAMES):
            return Classification(Kind.AGENT, "pydantic_ai.agent_run")
        return Classification(Kind.OTHER, "pydantic_ai.plumbing", is_unknown=True)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, else those of version 2."""
        attributes, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.TOOL:
            facts.input = facts.input or attributes.get("tool_arguments", "")
            facts.output = facts.output or attributes.get("tool_response", "")
        elif kind is Kind.MODEL:
            facts.input = facts.input or attributes.get("events", "")
        else:
            facts.input = facts.input or _request(attributes) or first(attributes, *_MESSAGES)
            facts.output = facts.output or attributes.get("final_result", "")
            facts.agent_name = facts.agent_name or first(attributes, *_AGENT_NAMES)
        return facts


def _request(attributes: Mapping[str, str]) -> str:
    """Return the run's first own message if the user sent it, else an empty text.

    Later user messages may hold pictures that a tool returned, and are no request.
    """
    messages = json_value(attributes.get(_MESSAGES[0], ""))
    own = messages[integer(attributes.get(_FIRST_NEW, "")) :] if isinstance(messages, list) else []
    opening = own[0] if own else None
    is_user = isinstance(opening, dict) and opening.get("role") == "user"
    return json_text([opening]) if is_user else ""


DIALECTS = (PydanticAI(),)
