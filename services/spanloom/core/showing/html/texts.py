"""Untrusted texts as HTML: escaped, invisible characters made visible, long texts cut."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARS = 20_000
"""Maximum characters of a text; a note after a longer text states its full length."""
MAX_MESSAGES = 200
"""Maximum messages shown of a list; the last are shown, because earlier steps show the others."""
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters, characters that change the direction of text, and zero-width characters."""
_BYTES = re.compile(r"data:[\w.+/-]*;base64,[A-Za-z0-9+/=]{100,}")


def legible(text: str) -> str:
    """Return a text as HTML, with invisible characters as ``⟨U+202E⟩``."""
    return escape(_HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text))


def block(text: str) -> str:
    """Return a text as a block with line breaks, cut to ``MAX_CHARS``."""
    plain = _BYTES.sub(lambda match: f"(data, {len(match[0]):,} characters)", text[: MAX_CHARS * 4])
    shown = f'<div class="text" dir="auto">{legible(plain[:MAX_CHARS])}</div>'
    if len(plain) <= MAX_CHARS and len(text) <= MAX_CHARS * 4:
        return shown
    return (
        f'{shown}<p class="cut">{len(text):,} characters in all; the rest is not in this file.</p>'
    )


def content_html(text: str) -> str:
    """Return a step's input or output: messages one after the other, any other text as a block."""
    value: Any = json_value(text)
    if not isinstance(value, list) or not value or not all(map(_is_message, value)):
        return block(text)
    shown = value[-MAX_MESSAGES:]
    before = len(value) - len(shown)
    note = f'<p class="cut">{before:,} earlier messages are not in this file.</p>' if before else ""
    return note + "".join(_message(one) for one in shown)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def _message(message: dict[str, Any]) -> str:
    parts = "".join(block(part) for part in _parts(message))
    return f'<div class="said"><b>{legible(message["role"][:100])}</b>{parts}</div>'


def _parts(message: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a message: reasoning, content, refusal, tool calls."""
    for name in ("reasoning_content", "content", "refusal"):
        value = message.get(name)
        for part in value if isinstance(value, list) else [value] if value else []:
            yield part if isinstance(part, str) else _part(part)
    for call in message.get("tool_calls") or []:
        yield f"→ {_part(call)}"


def _part(part: object) -> str:
    """Return the text of a content part or tool call; anything else as JSON."""
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
        text: str = part["text"]
        return text
    function = part.get("function") if isinstance(part, dict) else None
    if isinstance(function, dict):
        return f"{function.get('name', '')} {function.get('arguments', '')}"
    return orjson.dumps(part).decode()
