r"""What a step's input or output says, as the texts by which it is found.

A list of messages is a text a message; any other value is one text. JSON comes out as its keys and
values, a line each, for its escapes are no words: of ``{"note":"late\nagain"}`` the words are
``note``, ``late`` and ``again``, and its text ``note: late``, ``again``. Images and other data that
is written as text are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.core.reading.values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.reading.values import Json

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
