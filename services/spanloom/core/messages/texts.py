"""The texts of a step by which it is found, and the line that summarises them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.values.attributes import Json


_NESTED = ("{", "[", '"')
"""How JSON in a text begins, where it hides words."""
_DATA = "data:"
_MESSAGE_TEXTS = ("content", "reasoning_content", "refusal")
"""Where our shape of messages keeps what is said (``core/model/message.py``)."""
_PLAIN = 2
"""Most messages have a role and a content, and nothing else."""


def said_in(text: str) -> Sequence[str]:
    """Return what is said, message by message; nothing said is no text."""
    if not text.startswith(_NESTED):  # as most is that tools and models answer
        return [text] if text and not text.startswith(_DATA) else []
    return [said for said in _texts_of(json_value(text)) if said]


def said_by(messages: Sequence[Json]) -> Sequence[str]:
    """Return what some messages say, a text each; those that say nothing have none."""
    return [said for said in map(_text_of, messages) if said]


def _texts_of(value: Json) -> Iterable[str]:
    if isinstance(value, list) and any(map(_is_message, value)):
        return map(_text_of, value)
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        # The state of a graph: its conversation, and whatever else it holds.
        rest = {key: item for key, item in value.items() if key != "messages"}
        return [*_texts_of(value["messages"]), _flat(rest)]
    return [_text_of(value)]


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and "role" in value


def _text_of(value: Json) -> str:
    """Return the text of a message, or of any other value."""
    if not isinstance(value, dict) or "role" not in value:
        return _flat(value)
    content = value.get("content")
    if len(value) == _PLAIN and isinstance(content, str):
        return _flat(content)
    said = [_flat(value.get(name)) for name in _MESSAGE_TEXTS]
    calls = value.get("tool_calls")
    said += map(_call, calls if isinstance(calls, list) else [])
    return "\n".join(filter(None, said))


def _call(call: Json) -> str:
    """Return a call of a tool by its name and arguments, without its id."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return _flat(call)
    return f"{_flat(function.get('name'))} {_flat(function.get('arguments'))}".strip()


def _flat(value: Json) -> str:
    """Return the words of a value in lines; a text that is JSON is taken apart as well."""
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
    """Return a member of an object; what is in several lines begins below its key."""
    text = _flat(value)
    return f"{key}:\n{text}" if "\n" in text else f"{key}: {text}"


GIST_CHARS = 200
_TEXT_KEYS = ("content", "text")
"""Where every kind of chat message keeps its text."""
_MAX_PARSED = 1_000_000


def gist(text: str) -> str:
    """Return a text as one line, cut: what a list shows of a question or an answer."""
    line = " ".join(text[: 4 * GIST_CHARS].split())
    return line if len(line) <= GIST_CHARS else line[: GIST_CHARS - 1].rstrip() + "…"


def question_in(text: str) -> str:
    """Return what the user said last in an input, else its last message.

    For reading at a glance only: a text that holds no message comes back as it is.
    """
    said = list(_messages_in(text))
    return next(
        (m.text for m in reversed(said) if m.role == "user"), said[-1].text if said else text
    )


def answer_in(text: str) -> str:
    """Return the last message of an output: ``[{"role": "assistant", "content": "hi"}]`` → ``hi``.

    Of one that says nothing, the tools that it calls: ``weather({"city": "Oslo"})``.
    """
    said = list(_messages_in(text))
    return said[-1].text if said else text


class _Message(NamedTuple):
    role: str
    text: str


def _messages_in(text: str) -> Iterator[_Message]:
    if len(text) <= _MAX_PARSED and text[:1] in {"{", "["}:
        yield from _messages_of(json_value(text), "")


def _messages_of(value: Json, role: str) -> Iterator[_Message]:
    """Yield every text that stands where messages have theirs, with who said it."""
    if isinstance(value, list):
        for item in value:
            yield from _messages_of(item, role)
    elif isinstance(value, dict):
        role = str(value.get("role") or role)
        if not value.get("content") and (calls := _calls_of(value.get("tool_calls"))):
            yield _Message(role, calls)
            return
        for key, item in value.items():
            if key in _TEXT_KEYS and isinstance(item, str) and item.strip():
                yield _Message(role, item)
            elif key != "tool_calls":
                yield from _messages_of(item, role)


def _calls_of(calls: Json) -> str:
    """Write calls of tools, in our shape, as a program would."""
    items = calls if isinstance(calls, list) else []
    functions = [call.get("function") for call in items if isinstance(call, dict)]
    return ", ".join(
        f"{function['name']}({function.get('arguments') or ''})"
        for function in functions
        if isinstance(function, dict) and function.get("name")
    )


Message = dict[str, Any]  # as JSON gives it: ``role`` is a text, all else as it came


def messages_in(text: str, role: str) -> list[Message]:
    """Return the messages that a text holds; one that holds none is what somebody of a role said.

    ``[{"role": "user", "content": "hi"}]`` is one message, ``hi`` is the same one of the role
    ``user``. Nothing said is no message.
    """
    value = json_value(text)
    found = value if isinstance(value, list) else [value]
    messages = [one for one in found if isinstance(one, dict) and isinstance(one.get("role"), str)]
    if len(messages) == len(found):
        return messages
    return [{"role": role, "content": text}] if text else []
