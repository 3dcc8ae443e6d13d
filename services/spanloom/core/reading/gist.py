"""What was said, in a line: for lists and headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.reading.values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.reading.values import Json

GIST_CHARS = 200
_TEXT_KEYS = ("content", "text")
"""Where every kind of chat message keeps its text."""
_MAX_PARSED = 1_000_000


def gist(text: str) -> str:
    """Return the last message as one line, cut: what a list shows of an input or output."""
    line = " ".join(last_message(text)[: 4 * GIST_CHARS].split())
    return line if len(line) <= GIST_CHARS else line[: GIST_CHARS - 1].rstrip() + "…"


def last_message(text: str) -> str:
    """Return the last message of JSON: ``[{"role": "user", "content": "hi"}]`` → ``hi``.

    For reading at a glance only: a text that holds no message comes back as it is.
    """
    if len(text) > _MAX_PARSED or text[:1] not in {"{", "["}:
        return text
    last = ""
    for said in _texts_of(json_value(text)):
        last = said
    return last or text


def _texts_of(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _texts_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _TEXT_KEYS and isinstance(item, str) and item.strip():
                yield item
            else:
                yield from _texts_of(item)
