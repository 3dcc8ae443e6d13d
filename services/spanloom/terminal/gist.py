"""What was said, out of an input or output that may be structured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPEECH = ("content", "text")
"""Where every kind of chat message keeps its words."""
_MAX_PARSED = 1_000_000


def gist(text: str) -> str:
    """Return the last thing said in a text: of JSON with messages the last one's words.

    For reading at a glance only: what holds no words of a message comes back as it is.
    """
    if len(text) > _MAX_PARSED or text[:1] not in {"{", "["}:
        return text
    try:
        spoken = list(_spoken(orjson.loads(text)))
    except orjson.JSONDecodeError:
        return text
    return spoken[-1] if spoken else text


def _spoken(value: Any) -> Iterator[str]:  # any JSON value
    if isinstance(value, list):
        for item in value:
            yield from _spoken(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _SPEECH and isinstance(item, str) and item.strip():
                yield item
            else:
                yield from _spoken(item)
