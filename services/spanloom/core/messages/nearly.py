"""Read messages in text that is nearly JSON: cut off, encoded twice, or a Python repr."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.envelopes import find_messages
from spanloom.core.messages.objects import OBJECT_STARTS, may_be_object
from spanloom.core.messages.parts import read_objects
from spanloom.core.messages.wire import parse_composite
from spanloom.core.values.attributes import json_value, unquoted
from spanloom.core.values.cut_json import read_cut
from spanloom.core.values.python_repr import as_json, objects_as_json

if TYPE_CHECKING:
    from spanloom.core.model.message import Json

MAX_LAYERS = 64
"""Maximum layers of JSON strings: each doubles the quoting inside, so no text has as many."""
_RESPONSES = (
    *("ChatCompletion(", "ParsedChatCompletion(", "ModelResponse("),
    *("Message(id=", "Response("),
)
"""The classes of SDKs whose objects are whole responses."""
_STARTS = ('"', "[", "{", *_RESPONSES, *OBJECT_STARTS)
"""All that a text with messages may start with after blanks."""
_QUOTED_JSON = ('"[', '"{', '"\\"')
_MESSAGES = re.compile(r"""\s*+[\[{]\s*+(?:\{\s*+)?["'](?:role|messages)["']\s*+:""")


class Mended(NamedTuple):
    """What was read of a text that is no JSON object or list as it is."""

    text: str
    """The text without the quotation marks around it."""
    value: Json = None
    """The value of messages; ``None`` if the text has none."""
    is_cut: bool = False


def mend(text: str, role: str) -> Mended:
    """Return the messages of a text that could not be parsed; ``role`` is their default role."""
    if not text.startswith(_STARTS) and not text[:1].isspace():  # plain text, as most is
        return Mended(text)
    text, is_cut = _without_quotes(text)
    if text.startswith(_RESPONSES):
        items = json_value(objects_as_json(f"[{text}]"))
        response = items[0] if isinstance(items, list) and len(items) == 1 else None
        return Mended(text, None if find_messages(response, role) is None else response)
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


def _without_quotes(text: str) -> tuple[str, bool]:
    """Decode a JSON string, however often it was encoded; return whether it was cut off."""
    is_cut = False
    for _ in range(MAX_LAYERS):
        inner: Json = unquoted(text)
        if inner is text and text.startswith(_QUOTED_JSON):
            inner, is_cut = read_cut(text), True
        if inner is text or not isinstance(inner, str):
            break
        text = inner
    return text, is_cut


def _read(text: str) -> tuple[Json, bool]:
    """Return the value of JSON or of a Python repr, and whether it was cut off."""
    value = parse_composite(text)
    if value is None and "'" in text[:8]:
        words = text.strip()
        value = parse_composite(as_json(words)) or parse_composite(objects_as_json(words))
    return (value, False) if value is not None else (read_cut(text.lstrip()), True)
