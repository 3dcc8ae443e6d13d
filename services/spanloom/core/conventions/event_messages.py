"""Read messages from events: of the span itself, or from log records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import genai as genai_facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import Json, first, json_object, json_value, pick, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.model.normalized import Facts
    from spanloom.core.model.span import Event, Span


DETAILS = "gen_ai.client.inference.operation.details"
CHOICE = "gen_ai.choice"
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CONTENT_KEYS = frozenset({"content", "parts", "tool_calls"})


def complete(facts: Facts, span: Span, kind: Kind) -> None:
    """Set the facts' input and output from events where the span's attributes lack them."""
    if not span.events or (facts.input and facts.output):
        return
    if kind is Kind.TOOL:
        facts.input = facts.input or _first(span, "gen_ai.tool.message", "content")
        facts.output = facts.output or _first(span, CHOICE, "message")
    elif kind is Kind.MODEL:
        facts.input = facts.input or _messages(span, _ROLES)
        facts.output = facts.output or _messages(span, {CHOICE: "assistant"})
    else:
        facts.input = facts.input or _first(span, "gen_ai.user.message", "content")
        facts.output = facts.output or _first(span, CHOICE, "message")
    details = dict(_details(span))
    facts.input = (
        facts.input
        or details.get("gen_ai.tool.call.arguments", "")
        or genai_facts.read_input(details)
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


def _messages(span: Span, roles: Mapping[str, str]) -> str:
    """Return the messages; empty if none has more than a role (content capture is off)."""
    messages: list[Json] = [_message(e, roles[e.name]) for e in span.events if e.name in roles]
    return written(messages) if any(map(_has_content, messages)) else ""


def _message(event: Event, role: str) -> dict[str, Json]:
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
