"""Extracts searchable texts and one-line summaries from the inputs and outputs of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.values.attributes import Json


_NESTED = ("{", "[", '"')
"""First characters of texts that may be JSON, whose strings are then searched as well."""
_DATA = "data:"
_MESSAGE_TEXTS = ("content", "reasoning_content", "refusal")
"""Fields of a message that contain text (``core/model/message.py``)."""
_PLAIN = 2
"""The number of fields of most messages: role and content."""


def read_texts(text: str) -> Sequence[str]:
    """Return the text of each message in an input or output, without empty texts."""
    if not text.startswith(_NESTED):  # the usual form of tool results and answers
        return [text] if text and not text.startswith(_DATA) else []
    return [part for part in _texts_of(json_value(text)) if part]


def message_texts(messages: Sequence[Json]) -> Sequence[str]:
    """Return the text of each message, without empty texts."""
    return [text for text in map(_text_of, messages) if text]


def _texts_of(value: Json) -> Iterable[str]:
    if isinstance(value, list) and any(map(_is_message, value)):
        return map(_text_of, value)
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        # The state of a graph: its messages, then its other fields.
        rest = {key: item for key, item in value.items() if key != "messages"}
        return [*_texts_of(value["messages"]), _flat(rest)]
    return [_text_of(value)]


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and "role" in value


def _text_of(value: Json) -> str:
    """Return the text of a message or of any other JSON value."""
    if not isinstance(value, dict) or "role" not in value:
        return _flat(value)
    content = value.get("content")
    if len(value) == _PLAIN and isinstance(content, str):
        return _flat(content)
    texts = [_flat(value.get(name)) for name in _MESSAGE_TEXTS]
    calls = value.get("tool_calls")
    texts += map(_call, calls if isinstance(calls, list) else [])
    return "\n".join(filter(None, texts))


def _call(call: Json) -> str:
    """Return the name and arguments of a tool call, without its id."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return _flat(call)
    return f"{_flat(function.get('name'))} {_flat(function.get('arguments'))}".strip()


def _flat(value: Json) -> str:
    """Return the strings of a value as lines; JSON inside a string is converted as well."""
    if isinstance(value, str):
        if value.startswith(_NESTED) and not isinstance(inner := json_value(value), str):
            return _flat(inner)
        return "" if value.startswith(_DATA) else value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_flat, value)))
    if isinstance(value, dict):
        if value.get("type") == "text" and "text" in value:
            return _flat(value["text"])
        return "\n".join(_line(key, item) for key, item in value.items())
    return "" if value is None else orjson.dumps(value).decode()


def _line(key: str, value: Json) -> str:
    """Return one field of an object; a text with several lines starts on a new line."""
    text = _flat(value)
    return f"{key}:\n{text}" if "\n" in text else f"{key}: {text}"


GIST_CHARS = 200
_TEXT_KEYS = ("content", "text")
"""Keys with the text of a chat message of any kind."""
MAX_PARSED = 1_000_000
"""Maximum characters of a text that is parsed to show it in a list."""


def gist(text: str) -> str:
    """Return a text as one line of at most ``GIST_CHARS`` characters, for a list of runs."""
    line = " ".join(text[: 4 * GIST_CHARS].split())
    return line if len(line) <= GIST_CHARS else line[: GIST_CHARS - 1].rstrip() + "…"


def question_in(text: str, max_chars: int = MAX_PARSED) -> str:
    """Return the user's last message in an input, or its last message if no user wrote one.

    Return a text without messages, or longer than ``max_chars``, unchanged.
    """
    messages = _with_roles(_messages_in(text, max_chars))
    last = messages[-1].text if messages else text
    return next((m.text for m in reversed(messages) if m.role == "user"), last)


def answer_in(text: str, max_chars: int = MAX_PARSED) -> str:
    """Return the last message of an output: ``[{"role": "assistant", "content": "hi"}]`` → ``hi``.

    For a message without content, return its tool calls: ``weather({"city": "Oslo"})``.
    """
    messages = _with_roles(_messages_in(text, max_chars))
    return messages[-1].text if messages else text


def _with_roles(texts: Iterable[_Message]) -> Sequence[_Message]:
    """Return the texts that have a role; if there are none (as in retrieved documents), all."""
    found = list(texts)
    return [message for message in found if message.role] or found


class _Message(NamedTuple):
    role: str
    text: str


def _messages_in(text: str, max_chars: int) -> Iterator[_Message]:
    if len(text) <= max_chars and text[:1] in {"{", "["}:
        yield from _messages_of(json_value(text), "")


def _messages_of(value: Json, role: str) -> Iterator[_Message]:
    """Yield the texts under the keys that messages use, with their roles."""
    if isinstance(value, list):
        for item in value:
            yield from _messages_of(item, role)
    elif isinstance(value, dict):
        role = str(value.get("role") or role)
        if not value.get("content") and (calls := _calls_of(value.get("tool_calls"))):
            yield _Message(role, calls)
            return
        if conversation := _conversation_in(value):
            yield from conversation
            return
        for key, item in value.items():
            if key in _TEXT_KEYS and isinstance(item, str) and item.strip():
                yield _Message(role, item)
            elif key != "tool_calls":
                yield from _messages_of(item, role)


def _conversation_in(state: dict[str, Json]) -> Sequence[_Message]:
    """Return the texts of a state's messages; its other fields, such as files, are ignored."""
    items = state.get("messages")
    if isinstance(items, str) and items.strip():
        return [_Message("user", items)]
    return list(_messages_of(items, "")) if isinstance(items, list) else ()


def _calls_of(calls: Json) -> str:
    """Return tool calls as source code would write them: ``weather({"city": "Oslo"})``."""
    items = calls if isinstance(calls, list) else []
    functions = [call.get("function") for call in items if isinstance(call, dict)]
    return ", ".join(
        f"{function['name']}({function.get('arguments') or ''})"
        for function in functions
        if isinstance(function, dict) and function.get("name")
    )


Message = dict[str, Any]  # parsed JSON: ``role`` is a string, other fields are unchecked


def messages_in(text: str, role: str) -> list[Message]:
    """Return the messages in a text; a text without messages is one message with this role.

    With the role ``user``, ``hi`` and ``[{"role": "user", "content": "hi"}]`` are the same message.
    An empty text is no message.
    """
    value = json_value(text) if text else []
    items = value if isinstance(value, list) else [value]
    messages = [one for one in items if isinstance(one, dict) and isinstance(one.get("role"), str)]
    if len(messages) == len(items):
        return messages
    return [{"role": role, "content": text}]
