"""Recorded data cut down to the room that there is for it, so that it says what it leaves out."""

from __future__ import annotations

from itertools import islice
from typing import Any

import orjson

_STEPS = (2_000, 400, 80, 16, 4)
"""How long texts may be, one try after the other; lists have a quarter as many items."""


def fitted(value: Any, room: int) -> Any:  # JSON of any shape goes in and comes out
    """Return a value whose JSON has at most so many characters (64 at least).

    Texts end earlier, then lists and mappings do, and each says how much is left out.
    """
    if size_of(value) <= room:
        return value
    for most in _STEPS:
        cut = _cut(value, most)
        if size_of(cut) <= room:
            return cut
    return shortened(orjson.dumps(value).decode(), max((room - 40) // 2, 4))  # quotes take two


def size_of(value: object) -> int:
    """Return how many characters the JSON of a value has."""
    return len(orjson.dumps(value).decode())


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, which says how many it leaves out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def _cut(value: Any, most: int) -> Any:  # as above
    few = max(most // 4, 1)
    if isinstance(value, str):
        return shortened(value, most)
    if isinstance(value, dict):
        kept = {
            shortened(key, most): _cut(inner, most) for key, inner in islice(value.items(), few)
        }
        return kept | ({"…": f"{len(value) - few:,} more"} if len(value) > few else {})
    if isinstance(value, list):
        kept_items = [_cut(inner, most) for inner in value[:few]]
        return kept_items + ([f"… {len(value) - few:,} more"] if len(value) > few else [])
    return value
