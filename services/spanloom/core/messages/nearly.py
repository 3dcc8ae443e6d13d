"""Reads messages in text that is almost JSON: cut off, encoded twice, or a Python repr."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.envelopes import find_messages
from spanloom.core.messages.objects import OBJECT_STARTS, may_be_object
from spanloom.core.messages.wire import parse_composite
from spanloom.core.messages.written_parts import read_objects
from spanloom.core.values.attributes import json_value, unquoted
from spanloom.core.values.bounds import may_read
from spanloom.core.values.cut_json import read_cut
from spanloom.core.values.python_repr import as_json, fields_as_json, objects_as_json

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

MAX_LAYERS = 64
"""Maximum nesting of JSON strings; real texts nest less, because each layer doubles escapes."""
_RESPONSES = (
    *("ChatCompletion(", "ParsedChatCompletion(", "ModelResponse("),
    *("Message(id=", "Response(", "GenerateContentResponse("),
)
"""Class names of SDK objects that are whole responses."""
_CLASSES = ("System", "Human", "AI", "Tool", "Function")
_LANGCHAIN = re.compile(rf"\[?(?:{'|'.join(_CLASSES)})Message(?:Chunk)?\(content=")
_FIELDS = re.compile(r"(?:content=['\"\[]|candidates=\[|sdk_http_response=)")
"""The fields at the start of a message or response that pydantic printed without its class."""
_NO_JSON = re.compile(r",\s*+[\]}]|\b(?:NaN|Infinity)\b")
"""Syntax that JavaScript and Python write, but JSON forbids."""
_MARK = "\ufeff"
"""The byte order mark, with which some files begin."""
_STARTS = (
    *('"', "[", "{", _MARK, "content=", "candidates=", "sdk_http_response="),
    *(*_RESPONSES, *OBJECT_STARTS, *[f"{name}Message" for name in _CLASSES]),
)
"""Prefixes of texts that may contain messages, not counting white space."""
_QUOTED_JSON = ('"[', '"{', '"\\"')
_MESSAGES = re.compile(r"""\s*+[\[{]\s*+(?:\{\s*+)?["'](?:role|messages)["']\s*+:""")


class Mended(NamedTuple):
    """The result of reading a text that is not plain JSON."""

    text: str
    """The text, decoded if it is a JSON string."""
    value: Json = None
    """The value that contains messages; ``None`` if there are none."""
    is_cut: bool = False


def mend(text: str, role: str) -> Mended:
    """Return the messages of a text that is not JSON; ``role`` is their default role."""
    if not text.startswith(_STARTS) and not text[:1].isspace():  # plain text, the usual case
        return Mended(text)
    text, is_cut = _without_quotes(text.lstrip(_MARK) if text[:1] == _MARK else text)
    if (found := _json_of_repr(text)) is not None:
        return _checked(text, found, role)
    if may_be_object(text):
        is_call = role == "assistant" and read_objects(text)
        return Mended(text, [{"role": role, "content": text}] if is_call else None)
    if text.lstrip()[:1] in ("[", "{"):
        value, is_short = _read(text)
        is_cut = is_cut or is_short
        if value is not None and find_messages(value, role) is not None:
            return Mended(text, value, is_cut)
        is_lost = is_cut and value in ([], {}) and _MESSAGES.match(text) is not None
        return Mended("", None, is_cut=True) if is_lost else Mended(text)
    return Mended(text)


def _json_of_repr(text: str) -> str | None:
    """Convert the Python repr of a response or of messages to JSON; ``None`` for other text."""
    if text.startswith(_RESPONSES) or (text.endswith((")", "]")) and _LANGCHAIN.match(text)):
        return objects_as_json(text if text[0] == "[" else f"[{text}]", may_omit=True)
    return fields_as_json(text) if "=" in text[:20] and _FIELDS.match(text) else None


def _checked(text: str, found: str, role: str) -> Mended:
    """Return ``text`` with the messages in ``found``, which is its repr converted to JSON."""
    value = json_value(found)
    only = value[0] if isinstance(value, list) and len(value) == 1 else None
    for known in (value, only):
        if find_messages(known, role) is not None:
            return Mended(text, known)
    return Mended(text)


def _without_quotes(text: str) -> tuple[str, bool]:
    """Decode a JSON string, however often it was encoded; return also whether it was cut off."""
    is_cut = False
    for _ in range(MAX_LAYERS):
        inner: Json = unquoted(text)
        if inner is text and text.startswith(_QUOTED_JSON):
            inner, is_cut = read_cut(text), True
        if inner is text or not isinstance(inner, str):
            break
        text = inner
    return text, is_cut


def _read_lines(text: str) -> list[Json] | None:
    """Return the objects of a text in JSON lines; ``None`` for other text.

    Only line feeds end a line, because JSON strings may contain Unicode's other line separators.
    """
    if not text.startswith("{") or "\n{" not in text or not may_read(text):
        return None
    values = [json_value(line) for line in text.split("\n") if line.strip()]
    return values if all(isinstance(value, dict) for value in values) else None


def _read(text: str) -> tuple[Json, bool]:
    """Return the value of JSON or of a Python repr, and whether the text was cut off."""
    value = parse_composite(text) or _read_lines(text)
    if value is None and ("'" in text[:8] or _NO_JSON.search(text)):
        words = text.strip()
        value = parse_composite(as_json(words)) or parse_composite(objects_as_json(words))
    return (value, False) if value is not None else (read_cut(text.lstrip()), True)
