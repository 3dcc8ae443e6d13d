"""Tokens: positions in the change feed as text, which callers send back unchanged."""

from __future__ import annotations

import re

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.positions import Position

BEGINNING = "beginning"
"""Token of the position before everything that is kept."""
_TOKEN = re.compile(r"(\d{1,16})(?:-(\d{1,16})-(\d{1,5})-(\d{1,10}))?", re.ASCII)
_NO_TOKEN = (
    "not one that the feed gave; pass `next` of the answer before, unchanged, or "
    f"`{BEGINNING}` for all that is kept"
)


def encode_token(position: Position) -> str:
    """Return the position as text: ``1715400004500000``, or all four parts if ``shown`` is set."""
    return "-".join(map(str, position if position.shown else position[:1]))


def decode_token(text: str) -> Position:
    """Return the position; raises ``InvalidQueryError`` for text that is no valid token."""
    if text == BEGINNING:
        return Position()
    found = _TOKEN.fullmatch(text)
    if found is None:
        raise InvalidQueryError(_NO_TOKEN, "after")
    return Position(*(int(part) for part in found.groups() if part is not None))
