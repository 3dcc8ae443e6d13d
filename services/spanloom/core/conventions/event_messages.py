"""Messages in span events and log records, of every version of the GenAI conventions.

Before 1.27 one event held all of a model call's messages (``gen_ai.content.prompt``); later each
message was an event (``gen_ai.user.message``); today one event has all details of a model call. The
body of an event is its attributes, or JSON in one of them (``gen_ai.event.content``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.genai import read_input
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import (
    Json,
    first,
    json_object,
    json_value,
    pick,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.model.span import Event, Facts, Span

DETAILS = "gen_ai.client.inference.operation.details"
CHOICE = "gen_ai.choice"
_USER, _TOOL = "gen_ai.user.message", "gen_ai.tool.message"
_ASSISTANT = "gen_ai.assistant.message"
_INPUTS = {
    "gen_ai.system.message": "system",
    _USER: "user",
    _ASSISTANT: "assistant",
    _TOOL: "tool",
}
_OUTPUTS = {CHOICE: "assistant"}
_WHOLE_INPUTS = {"gen_ai.content.prompt": "gen_ai.prompt"}
_WHOLE_OUTPUTS = {"gen_ai.content.completion": "gen_ai.completion"}
"""Events with all input or output messages, and the attribute that holds the messages."""
_BODIES = ("gen_ai.event.content", "event.body", "body", "message")
"""Attributes that hold the body of an event as JSON."""
_INSTRUCTIONS = "gen_ai.system_instructions"
_HELD_IN_DETAILS = frozenset(
    {
        *("gen_ai.input.messages", "gen_ai.output.messages", _INSTRUCTIONS),
        *("gen_ai.tool.definitions", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
    }
)
_CONTENT_KEYS = frozenset({"content", "parts", "tool_calls"})


def with_details(span: Span) -> Span:
    """Return the span with the messages of its events among its attributes.

    A setting decides whether a sender writes them to attributes or to events; the span's own
    attributes take precedence. Messages in separate events are added only to a span with
    instructions, because the instructions alone would otherwise count as the whole input.
    """
    if not span.events:
        return span
    held = {key: text for key, text in _details(span) if key in _HELD_IN_DETAILS and text}
    if _INSTRUCTIONS in span.attributes and (messages := _messages(span, _INPUTS)):
        held.setdefault("gen_ai.input.messages", messages)
    return span._replace(attributes={**held, **span.attributes}) if held else span


def complete_from_events(facts: Facts, span: Span, kind: Kind) -> None:
    """Set input and output from the span's events where its attributes lack them."""
    if not span.events or (facts.input and facts.output):
        return
    if kind is Kind.TOOL:
        facts.input = facts.input or _first(span, _TOOL)
        facts.output = facts.output or _first(span, CHOICE)
    elif kind is Kind.MODEL:
        answer = _last_answer(span)
        rest = span if answer is None else _without(span, answer)
        facts.input = facts.input or _messages(rest, _INPUTS) or _whole(span, _WHOLE_INPUTS)
        facts.output = facts.output or _messages(span, _OUTPUTS) or _whole(span, _WHOLE_OUTPUTS)
        if answer is not None and not facts.output:
            facts.output = written([_message(answer, "assistant")])
    else:
        facts.input = facts.input or _first(span, _USER) or _whole(span, _WHOLE_INPUTS)
        facts.output = facts.output or _first(span, CHOICE) or _whole(span, _WHOLE_OUTPUTS)
    details = dict(_details(span))
    facts.input = (
        facts.input or details.get("gen_ai.tool.call.arguments", "") or read_input(details)
    )
    facts.output = facts.output or first(
        details, "gen_ai.tool.call.result", "gen_ai.output.messages"
    )


def _last_answer(span: Span) -> Event | None:
    """Return the last message event if it is an assistant's message, and therefore the answer.

    This is needed for Azure's agents, which write no ``gen_ai.choice`` events.
    """
    messages = [e for e in span.events if e.name in _INPUTS or e.name in _OUTPUTS]
    return messages[-1] if len(messages) > 1 and messages[-1].name == _ASSISTANT else None


def _without(span: Span, event: Event) -> Span:
    return span._replace(events=[e for e in span.events if e is not event])


def _details(span: Span) -> Iterator[tuple[str, str]]:
    """Yield the attributes of the span's ``DETAILS`` events; Strands writes several of them.

    If several events have the same key, the first event wins, so it is yielded last.
    """
    for event in reversed(span.events):
        if event.name == DETAILS:
            yield from event.attributes.items()


def _first(span: Span, name: str) -> str:
    """Return the content of the first event with this name, or else its whole body."""
    keys = ("message", *_BODIES[:-1]) if name == CHOICE else ("content", *_BODIES[:-1])
    return next((first(e.attributes, *keys) for e in span.events if e.name == name), "")


def _messages(span: Span, roles: Mapping[str, str]) -> str:
    """Return the messages in events named in ``roles``; empty if no message has content."""
    messages: list[Json] = [_message(e, roles[e.name]) for e in span.events if e.name in roles]
    return written(messages) if any(map(_has_content, messages)) else ""


def _whole(span: Span, keys: Mapping[str, str]) -> str:
    """Return the messages of an event that holds a whole model call, with roles in lower case."""
    held = (e.attributes.get(keys[e.name], "") for e in span.events if e.name in keys)
    text = next(filter(None, held), "")
    messages = json_value(text) if text.startswith("[{") else None
    return written([_cased(m) for m in messages]) if isinstance(messages, list) else text


def _message(event: Event, role: str) -> Json:
    attributes = event.attributes
    message: dict[str, Json] = {"role": attributes.get("role") or role}
    body = _body(attributes)
    if _CONTENT_KEYS & body.keys() or "role" in body:  # in log records a choice has a message
        message |= body
    elif text := first(attributes, "content", *_BODIES):
        message["content"] = _content(text)
    if calls := attributes.get("tool_calls"):
        message["tool_calls"] = json_value(calls)
    message |= pick(attributes, {"finish_reason": "finish_reason", "id": "id"})
    return _cased(message)


def _body(attributes: Mapping[str, str]) -> dict[str, Json]:
    """Return the event's message from the JSON in one attribute, or from its field ``message``."""
    for key in _BODIES:
        if key in attributes and (body := json_object(attributes[key])):
            inner = body.pop("message", None) if isinstance(body.get("message"), dict) else None
            return {**body, **inner} if isinstance(inner, dict) else body
    return {}


def _cased(message: Json) -> Json:
    """Return the message with its role in lower case; .NET writes ``Assistant``."""
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(role, str) or role.islower():
        return message
    return {**message, "role": role.lower()}


def _has_content(message: Json) -> bool:
    return isinstance(message, dict) and bool(_CONTENT_KEYS & message.keys())


def _content(text: str) -> Json:
    """Parse JSON lists and objects; other text, even if it looks like a number, stays text.

    Google's content is ``[{"role": "user", "parts": […]}]``; the object in the list is returned.
    """
    if not text.startswith(("[", "{")):
        return text
    value = json_value(text)
    only = value[0] if isinstance(value, list) and len(value) == 1 else None
    return only if isinstance(only, dict) and isinstance(only.get("parts"), list) else value
