"""Converts inputs and outputs of steps to values of MLflow's attributes, and back.

The value of an attribute in MLflow is JSON text. The JSON text of an object or list is written
unchanged; any other text becomes a JSON string. So most texts are read back exactly;
``Written.kept`` has the data to restore all other texts. MLflow's helpers for evaluation require
three shapes:

- a model call is ``{"messages": [...]}`` and ``{"choices": [{"index", "message"}]}``;
- the arguments of a tool are an object or a string;
- a root's output must not be, for example, a number, a list of numbers or invalid ``messages``;
  these are written as a JSON string.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.formats.json_bytes import dump
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.formats.json_bytes import Json

MESSAGES, CHOICES, TEXT = "messages", "choices", "text"
"""Values of ``kept["form"]``: the text is in this member of an object, or whole in ``kept``."""
_BEFORE, _AFTER = '{"messages":', "}"
_NO_LIST = (str, int, float, bool, type(None))


class Written(NamedTuple):
    """A text converted to the value of an attribute."""

    json: str
    """The value of the attribute, which is JSON text."""
    kept: Mapping[str, str] = {}
    """How to restore the text, if ``json`` differs from it: ``{"form": "messages"}``."""


def string_of(text: str) -> str:
    """Return a text as a JSON string."""
    return dump(text).decode()


def write_value(text: str) -> Written:
    """Write a text as an object or list if MLflow's helpers can read that, else as a string."""
    value = json_value(text)
    return Written(text if _is_readable(value) else string_of(text))


def write_arguments(text: str) -> Written:
    """Write the input of a tool as an object or a string."""
    return Written(text if isinstance(json_value(text), dict) else string_of(text))


def write_request(text: str) -> Written:
    """Write the input of a model call, with its messages in the member ``messages``."""
    if not _are_messages(json_value(text)):
        return write_value(text)
    return Written(f"{_BEFORE}{text}{_AFTER}", {"form": MESSAGES})


def write_answer(text: str) -> Written:
    """Write the output of a model call, with its messages as choices."""
    messages = json_value(text)
    if not _are_messages(messages) or not isinstance(messages, list):
        return write_value(text)
    choices = [{"index": at, "message": message} for at, message in enumerate(messages)]
    is_same = dump(messages) == text.encode("utf-8", "replace")
    kept = {"form": CHOICES} if is_same else {"form": TEXT, "text": text}
    return Written(dump({"choices": choices}).decode(), kept)


def write_documents(text: str, found: list[Json]) -> Written:
    """Write the output of a retriever as a list of documents in MLflow's form."""
    documents = dump(found).decode()
    return Written(documents, {} if documents == text else {"form": TEXT, "text": text})


def read_value(attribute: object) -> str:
    """Return the value of an attribute as text: a string unquoted, other JSON unchanged.

    Raises ``TooDeepError`` for a value that cannot be written as JSON.
    """
    if not isinstance(attribute, str):
        return "" if attribute is None else dump(attribute).decode()
    if attribute == "null":
        return ""
    if attribute[:1] != '"':
        return attribute
    value = json_value(attribute)
    return _unescaped(attribute) if value is attribute or not isinstance(value, str) else value


def read_back(attribute: object, kept: object) -> str:
    """Return the text from which one of the ``write_`` functions made an attribute.

    ``kept`` is ``Written.kept`` as that function returned it.
    """
    text = read_value(attribute)
    how: Mapping[str, Any] = kept if isinstance(kept, dict) else {}
    form, original = how.get("form"), how.get("text")
    if form == TEXT and isinstance(original, str):
        return original
    if form == MESSAGES and text.startswith(_BEFORE):
        return text[len(_BEFORE) : -len(_AFTER)]
    if form == CHOICES and isinstance(whole := json_value(text), dict):
        choices = whole.get("choices")
        found = choices if isinstance(choices, list) else []
        messages = [one["message"] for one in found if isinstance(one, dict) and "message" in one]
        return dump(messages).decode()
    return text


def _unescaped(attribute: str) -> str:
    """Decode a JSON string that ``orjson`` rejects, for example because of lone surrogates."""
    try:
        value = json.loads(attribute)
    except ValueError:
        return attribute
    return value if isinstance(value, str) else attribute


def _are_messages(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_message, value))


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def _is_readable(value: object) -> bool:
    """Return whether MLflow's helpers can read a root's input or output with this value."""
    while isinstance(value, list):
        if not value:
            return False
        value = value[0]
    if not isinstance(value, dict):
        return False
    messages, output = value.get("messages"), value.get("output")
    return (not messages or _all_objects(messages)) and (not output or _all_objects(output))


def _all_objects(value: object) -> bool:
    if not isinstance(value, list):
        return False
    return all(isinstance(item, dict) for item in value)
