"""PydanticAI: scope ``pydantic-ai``, GenAI operations from version 3 of its format on.

In version 2 only model calls have an operation; ``agent run`` and ``running tool`` are recognised
by their attributes. ``running N tools`` wraps the tools and is not a step. In a streamed run the
tools are children of the model call, but belong to the agent. An agent's span contains the whole
conversation and its final result, which is ``DeferredToolRequests`` if tools wait for an approval
or for an external result. A waiting tool has no span; the run that continues afterwards begins with
the tool's result.

Verified on captures of versions 2 and 5.
"""

from collections.abc import Iterator, Mapping, Sequence

from spanloom.core.conventions.pauses import as_question, ask_to_run
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, integer, json_object, json_text, json_value

_SCOPE = "pydantic-ai"
_MESSAGES = ("pydantic_ai.all_messages", "all_messages_events", "all_messages")
_AGENT_NAMES = ("gen_ai.agent.name", "agent_name")
_FIRST_NEW = "pydantic_ai.new_message_index"
"""Index of the run's first own message; missing in a run without history."""
_RESULT = "final_result"
_RESPONSE = "tool_call_response"
_WAITING = ("approvals", "calls")
"""Lists of waiting tools in ``DeferredToolRequests``: for an approval, for an external result."""
_ATTEMPT = "pydantic_ai.model_request.attempt"
"""Attribute of a failed attempt of a ``FallbackModel``, whose span is inside the successful call
and has the agent's name too."""


_INVOKE_AGENT = Classification(Kind.AGENT, "pydantic_ai.invoke_agent")
_AGENT_RUN = Classification(Kind.AGENT, "pydantic_ai.agent_run")


class PydanticAI(OtelGenAI):
    """The GenAI conventions as PydanticAI writes them, under Logfire or plain OpenTelemetry."""

    id = "pydantic_ai"
    own_scope = _SCOPE
    scopes = ("pydantic.ai",)
    marks = ("pydantic_ai.", "gen_ai.agent.call.id")

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by operation; in version 2 by the attributes that name a tool or agent."""
        attributes = span.attributes
        operation = operation_of(span)
        if operation == "invoke_agent":
            return _asking(_INVOKE_AGENT, span)
        if operation:
            return super().classify(span, view)
        if "gen_ai.tool.name" in attributes:
            return Classification(Kind.TOOL, "pydantic_ai.running_tool")
        if _ATTEMPT not in attributes and first(attributes, *_AGENT_NAMES):
            return _asking(_AGENT_RUN, span)
        return Classification(Kind.OTHER, "pydantic_ai.plumbing", is_unknown=True)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, or the attributes of version 2 if they are missing."""
        attributes, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.TOOL:
            facts.input = facts.input or attributes.get("tool_arguments", "")
            facts.output = facts.output or attributes.get("tool_response", "")
        elif kind is Kind.MODEL:
            facts.input = facts.input or attributes.get("events", "")
        else:
            facts.input = facts.input or _request(attributes) or first(attributes, *_MESSAGES)
            facts.output = facts.output or attributes.get(_RESULT, "")
            facts.agent_name = facts.agent_name or first(attributes, *_AGENT_NAMES)
            facts.is_resuming = _brings_results(attributes)
        return facts


def _asking(agent: Classification, span: Span) -> Classification:
    """Return the agent's classification, with the question if its tools wait for a person."""
    if span.status_code == "Error":
        return agent
    result = span.attributes.get(_RESULT)
    waiting = _left_calls(span) if result is None else _deferred_calls(result)
    return agent._replace(question=as_question(waiting)) if waiting else agent


def _deferred_calls(result: str) -> Sequence[dict[str, Json]]:
    """Return the calls in the final result if it is ``DeferredToolRequests``."""
    deferred = json_object(result) if '"approvals"' in result else {}
    listed = [call for key in _WAITING for call in _as_list(deferred.get(key))]
    calls = [call for call in listed if isinstance(call, dict) and "tool_name" in call]
    return [ask_to_run(c["tool_name"], c.get("args")) for c in calls if len(calls) == len(listed)]


def _left_calls(span: Span) -> Sequence[dict[str, Json]]:
    """Return the tool calls without a result, if the run's final result was not recorded."""
    if span.events or not span.attributes.get(_MESSAGES[0]):
        return ()
    parts = list(_parts(json_value(span.attributes[_MESSAGES[0]])))
    answered = {str(part.get("id")) for part in parts if part.get("type") == _RESPONSE}
    calls = [part for part in parts if part.get("type") == "tool_call" and part.get("id")]
    left = [call for call in calls if str(call["id"]) not in answered]
    return [ask_to_run(call.get("name"), call.get("arguments")) for call in left]


def _parts(messages: Json) -> Iterator[dict[str, Json]]:
    """Yield the parts of all messages."""
    for message in _as_list(messages):
        for part in _as_list(message.get("parts") if isinstance(message, dict) else None):
            if isinstance(part, dict):
                yield part


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _brings_results(attributes: Mapping[str, str]) -> bool:
    """Return whether the run begins with the result of a tool that an earlier run called."""
    if _FIRST_NEW not in attributes:
        return False
    messages = json_value(attributes.get(_MESSAGES[0], ""))
    opening = _as_list(messages)[integer(attributes[_FIRST_NEW]) :][:1]
    return any(part.get("type") == _RESPONSE for part in _parts(opening))


def _request(attributes: Mapping[str, str]) -> str:
    """Return the first message that this run adds if the user sent it, else an empty text.

    A later user message is no request: it may hold pictures that a tool returned.
    """
    messages = json_value(attributes.get(_MESSAGES[0], ""))
    own = messages[integer(attributes.get(_FIRST_NEW, "")) :] if isinstance(messages, list) else []
    opening = own[0] if own else None
    is_user = isinstance(opening, dict) and opening.get("role") == "user"
    return json_text([opening]) if is_user else ""


DIALECTS = (PydanticAI(),)
