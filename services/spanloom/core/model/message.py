"""The one shape in which every model step shows its messages.

It is the chat message of OpenAI's API, which trainers, chat templates and evaluators read, with
``reasoning_content`` for thoughts (the name that DeepSeek, vLLM and most templates use).
``docs/messages.md`` describes it for users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypeAlias, TypedDict, TypeGuard

import orjson

if TYPE_CHECKING:
    from collections.abc import Sequence

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""What JSON text can hold."""


class FunctionCall(TypedDict):
    """What a model wants to be run."""

    name: str
    arguments: str
    """As the model wrote them; compact JSON where the instrumentation had taken them apart."""


class ToolCall(TypedDict):
    """One call that a model asks for."""

    id: NotRequired[str]
    type: Literal["function"]
    function: FunctionCall


class Message(TypedDict):
    """One message of a conversation; other keys are what the sender said beyond these."""

    role: str
    """``system``, ``developer``, ``user``, ``assistant`` or ``tool``; a foreign role as it is."""
    content: str | list[Json]
    """Text, else parts: ``text``, ``image_url``, ``input_audio``, ``file`` and foreign ones."""
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[ToolCall]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]
    finish_reason: NotRequired[str]
    refusal: NotRequired[str]
    status: NotRequired[str]
    """Of tool messages: ``error``, where the tool failed."""
    reasoning_details: NotRequired[list[Json]]
    """What belongs to the thoughts besides their text: signatures, encrypted thoughts."""


CONVERSATION_START = '[{"role":'
"""How the compact JSON of messages begins, and no other text of a normalized model call."""


def as_conversation(text: str, role: str) -> str:
    """Make one message of a text that is no conversation; nothing said stays nothing."""
    is_conversation = not text or text.startswith(CONVERSATION_START)
    return text if is_conversation else make_message(text, role)


def make_message(text: str, role: str) -> str:
    """Return a conversation of one message, the text as it is."""
    try:
        return orjson.dumps([{"role": role, "content": text}]).decode()
    except TypeError:  # half a surrogate pair cannot be written
        return text


def read_conversation(text: str) -> list[Json]:
    """Return the messages of a normalized model call's text; none if it has none."""
    try:
        value = orjson.loads(text)
    except ValueError:
        return []
    return value if isinstance(value, list) else []


def find_request(messages: Sequence[Json]) -> Json:
    """Return what the user said last: text, else parts; ``None`` if no user said anything."""
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role") == "user":
            return _content_of(message)
    return None


def find_answer(messages: Sequence[Json]) -> Json:
    """Return the last message of the model, or of a tool that answers for it, or ``None``."""
    last = messages[-1] if messages else None
    if isinstance(last, dict) and last.get("role") in ("assistant", "tool"):
        return _content_of(last) or None
    return None


def _content_of(message: dict[str, Json]) -> Json:
    """Return the content; several texts are one, a line each."""
    content = message.get("content")
    if not isinstance(content, list):
        return content
    texts = [part.get("text") if _is_plain_text(part) else None for part in content]
    shown = [text for text in texts if isinstance(text, str)]
    return "\n".join(shown) if len(shown) == len(content) else content


def _is_plain_text(part: Json) -> TypeGuard[dict[str, Json]]:
    return isinstance(part, dict) and part.get("type") == "text" and len(part) == 2
