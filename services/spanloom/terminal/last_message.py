"""The text of the last message in an input or output that may be structured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXT_KEYS = ("content", "text")
"""Where every kind of chat message keeps its text."""
_MAX_PARSED = 1_000_000


def last_message(text: str) -> str:
    """Return the last message of JSON: ``[{"role": "user", "content": "hi"}]`` → ``hi``.

    For reading at a glance only: a text that holds no message comes back as it is.
    """
    if len(text) > _MAX_PARSED or text[:1] not in {"{", "["}:
        return text
    try:
        texts = list(_texts_of(orjson.loads(text)))
    except orjson.JSONDecodeError:
        return text
    return texts[-1] if texts else text


def _texts_of(value: Any) -> Iterator[str]:  # any JSON value
    if isinstance(value, list):
        for item in value:
            yield from _texts_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _TEXT_KEYS and isinstance(item, str) and item.strip():
                yield item
            else:
                yield from _texts_of(item)
