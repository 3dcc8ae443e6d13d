"""Reads facts in the names of the GenAI conventions, from attributes and from events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.usage import read_counts
from spanloom.core.model.span import Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import (
    Json,
    first,
    json_object,
    json_text,
    json_value,
    pick,
    seconds_as_ms,
    written,
)
from spanloom.core.values.indexed import indexed_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.model.span import Event, Span

OFFERED_TOOLS = "gen_ai.tool.definitions"
"""The tools that a call or an agent could choose from."""
FIRST_CHUNK_S = (
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.client.operation.time_to_first_chunk",
)

_METADATA = {
    "gen_ai.provider.name": "provider",
    "gen_ai.system": "provider",
    "gen_ai.request.temperature": "temperature",
    "gen_ai.request.max_tokens": "max_tokens",
    "gen_ai.request.top_p": "top_p",
    "gen_ai.response.finish_reasons": "finish_reasons",
    "gen_ai.response.finish_reason": "finish_reasons",
    "gen_ai.response.id": "response_id",
    "gen_ai.tool.call.id": "tool_call_id",
    "gen_ai.tool.description": "tool_description",
    "gen_ai.workflow.name": "workflow_name",
    "session.id": "session_id",
    "gen_ai.session.id": "session_id",
}


def read_metadata(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return the request and response settings that a step shows."""
    return pick(attributes, _METADATA)


def read_model_call(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of a model call's span."""
    return Facts(
        input=read_input(attributes) or indexed_text(attributes, "gen_ai.prompt."),
        output=_messages(attributes, "gen_ai.output.messages")
        or indexed_text(attributes, "gen_ai.completion."),
        usage=read_counts(attributes),
        model=first(attributes, "gen_ai.response.model", "gen_ai.request.model"),
        first_token_ms=seconds_as_ms(first(attributes, *FIRST_CHUNK_S)),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        response_id=attributes.get("gen_ai.response.id", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


def read_input(attributes: Mapping[str, str]) -> str:
    """Return the messages with the system prompt first, which is an attribute of its own."""
    messages = _messages(attributes, "gen_ai.input.messages")
    system = attributes.get("gen_ai.system_instructions", "")
    if not system or '"role":"system"' in messages.replace(" ", "", 3):
        return messages
    content = f'"parts":{system}' if system.startswith("[") else f'"content":{json_text(system)}'
    if messages and not messages.lstrip().startswith("["):
        messages = f'[{{"role":"user","content":{json_text(messages)}}}]'
    rest = messages.strip().removeprefix("[").lstrip() or "]"
    return f'[{{"role":"system",{content}}}{"" if rest.startswith("]") else ","}{rest}'


def _messages(attributes: Mapping[str, str], key: str) -> str:
    """Return the messages; an empty list counts as absent."""
    return "" if (messages := attributes.get(key, "")) == "[]" else messages


def read_tool_run(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of a tool's span."""
    return Facts(
        input=first(attributes, "gen_ai.tool.call.arguments", "gen_ai.retrieval.query.text"),
        output=first(attributes, "gen_ai.tool.call.result", "gen_ai.retrieval.documents"),
        tool_name=attributes.get("gen_ai.tool.name", ""),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


def read_agent_run(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of an agent's or graph's span, without its usage, which is a sum."""
    return Facts(
        input=attributes.get("gen_ai.input.messages", ""),
        output=attributes.get("gen_ai.output.messages", ""),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


DETAILS = "gen_ai.client.inference.operation.details"
CHOICE = "gen_ai.choice"
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CONTENT_KEYS = frozenset({"content", "parts", "tool_calls"})


def complete_from_events(facts: Facts, span: Span, kind: Kind) -> None:
    """Set the facts' input and output from events where the span's attributes lack them."""
    if not span.events or (facts.input and facts.output):
        return
    if kind is Kind.TOOL:
        facts.input = facts.input or _first(span, "gen_ai.tool.message", "content")
        facts.output = facts.output or _first(span, CHOICE, "message")
    elif kind is Kind.MODEL:
        facts.input = facts.input or _event_messages(span, _ROLES)
        facts.output = facts.output or _event_messages(span, {CHOICE: "assistant"})
    else:
        facts.input = facts.input or _first(span, "gen_ai.user.message", "content")
        facts.output = facts.output or _first(span, CHOICE, "message")
    details = dict(_details(span))
    facts.input = (
        facts.input or details.get("gen_ai.tool.call.arguments", "") or read_input(details)
    )
    facts.output = facts.output or first(
        details, "gen_ai.tool.call.result", "gen_ai.output.messages"
    )


def _details(span: Span) -> Iterator[tuple[str, str]]:
    """Yield the attributes of the details events: Strands writes one per list, more per cycle.

    Of equal keys the first event's value counts, so it is yielded last.
    """
    for event in reversed(span.events):
        if event.name == DETAILS:
            yield from event.attributes.items()


def _first(span: Span, name: str, key: str) -> str:
    return next((e.attributes.get(key, "") for e in span.events if e.name == name), "")


def _event_messages(span: Span, roles: Mapping[str, str]) -> str:
    """Return the messages; empty if none has more than a role (content capture is off)."""
    messages: list[Json] = [
        _event_message(e, roles[e.name]) for e in span.events if e.name in roles
    ]
    return written(messages) if any(map(_has_content, messages)) else ""


def _event_message(event: Event, role: str) -> dict[str, Json]:
    attributes = event.attributes
    message: dict[str, Json] = {"role": attributes.get("role") or role}
    whole = json_object(attributes.get("message", ""))
    if _CONTENT_KEYS & whole.keys() or "role" in whole:  # a choice in a log record holds a message
        message |= whole
    elif text := first(attributes, "content", "message"):
        message["content"] = _content(text)
    if calls := attributes.get("tool_calls"):
        message["tool_calls"] = json_value(calls)
    return message | pick(attributes, {"finish_reason": "finish_reason", "id": "id"})


def _has_content(message: Json) -> bool:
    return isinstance(message, dict) and bool(_CONTENT_KEYS & message.keys())


def _content(text: str) -> Json:
    """Parse parts and objects; other text, even if it looks like a number, stays text."""
    return json_value(text) if text.startswith(("[", "{")) else text
