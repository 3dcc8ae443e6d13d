"""The one message format of every model step.

It is the chat message of OpenAI's API, which trainers, chat templates and evaluators read, with
``reasoning_content`` for thoughts (the name that DeepSeek, vLLM and most templates use).
``docs/messages.md`` describes it for users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypeAlias, TypedDict, TypeGuard

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""Any JSON value."""


class FunctionCall(TypedDict):
    """Name and arguments of the function that a model calls."""

    name: str
    arguments: str
    """As the model wrote them; compact JSON if the instrumentation had parsed them."""


class ToolCall(TypedDict):
    """One tool call that a model requests."""

    id: NotRequired[str]
    type: Literal["function"]
    function: FunctionCall


class Message(TypedDict):
    """One message of a conversation; further keys are stored as the sender reported them."""

    role: str
    """``system``, ``developer``, ``user``, ``assistant`` or ``tool``; unknown roles unchanged."""
    content: str | list[Json]
    """Text, or parts: ``text``, ``image_url``, ``input_audio``, ``file`` and unknown parts."""
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[ToolCall]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]
    finish_reason: NotRequired[str]
    refusal: NotRequired[str]
    status: NotRequired[str]
    """``error`` if the tool failed; only on tool messages."""
    reasoning_details: NotRequired[list[Json]]
    """Further data of the reasoning: signatures, encrypted thoughts."""


CONVERSATION_START = '[{"role":'
"""Prefix of the compact JSON of messages; no other text of a normalized model call begins so."""


def as_conversation(text: str, role: str) -> str:
    """Return the text as a conversation; plain text becomes one message, empty text stays empty."""
    is_conversation = not text or text.startswith(CONVERSATION_START)
    return text if is_conversation else make_message(text, role)


def make_message(text: str, role: str) -> str:
    """Return the JSON of a conversation with this text as its only message."""
    try:
        return orjson.dumps([{"role": role, "content": text}]).decode()
    except TypeError:  # half a surrogate pair cannot be written
        return text


def read_conversation(text: str) -> list[Json]:
    """Return the messages in the text of a normalized model call; empty for any other text."""
    try:
        value = orjson.loads(text)
    except ValueError:
        return []
    return value if isinstance(value, list) else []


def texts_of(message: Mapping[str, Json]) -> Iterator[str]:
    """Yield the message's content if it is a string, otherwise the texts of its parts."""
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text


def calls_of(message: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield the tool calls that the message requests."""
    calls = message.get("tool_calls")
    yield from (c for c in calls if isinstance(c, dict)) if isinstance(calls, list) else ()


def functions_of(message: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield the functions, with name and arguments, of the message's tool calls."""
    functions = (call.get("function") for call in calls_of(message))
    yield from (function for function in functions if isinstance(function, dict))


def find_request(messages: Sequence[Json]) -> Json:
    """Return the content of the last user message, text or parts; ``None`` if there is none."""
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role") == "user":
            return _content_of(message)
    return None


def find_answer(messages: Sequence[Json]) -> Json:
    """Return the content of the last message if it is the model's or a tool's, else ``None``.

    Tool results are not the answer if they follow a text of the model and belong to tools that it
    called in the same message: the provider ran these tools while the model wrote.
    """
    last = _before_results(messages)
    if isinstance(last, dict) and last.get("role") in ("assistant", "tool"):
        return _content_of(last) or None
    return None


def _before_results(messages: Sequence[Json]) -> Json:
    """Return the message that called the tools of the last results, or else the last message.

    The former has text, and only results of its tools, or tool calls without text, follow it.
    """
    results: set[str] = set()
    for message in reversed(messages):
        if not isinstance(message, dict):
            break
        if message.get("role") == "tool":
            results.add(str(message.get("tool_call_id")))
        elif not results or not results <= _called_by(message):
            break
        elif message.get("content"):
            return message
        else:  # a tool call without a text between two others
            results.clear()
    return messages[-1] if messages else None


def _called_by(message: dict[str, Json]) -> set[str]:
    return {str(call.get("id")) for call in calls_of(message)}


def _content_of(message: dict[str, Json]) -> Json:
    """Return the content; parts that are all plain text are joined by newlines."""
    content = message.get("content")
    if not isinstance(content, list):
        return content
    texts = [part.get("text") if _is_plain_text(part) else None for part in content]
    plain = [text for text in texts if isinstance(text, str)]
    return "\n".join(plain) if len(plain) == len(content) else content


def _is_plain_text(part: Json) -> TypeGuard[dict[str, Json]]:
    return isinstance(part, dict) and part.get("type") == "text" and len(part) == 2
