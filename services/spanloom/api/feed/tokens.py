"""Positions in the change feed as callers see them: texts to be handed back as they are."""

from __future__ import annotations

import re

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.positions import Position

BEGINNING = "beginning"
"""What is asked for to be told of all that is kept."""
_TOKEN = re.compile(r"(\d{1,16})(?:-(\d{1,16})-(\d{1,5})-(\d{1,10}))?", re.ASCII)
_NO_TOKEN = (
    "not one that the feed gave; pass `next` of the answer before, unchanged, or "
    f"`{BEGINNING}` for all that is kept"
)


def encode_token(position: Position) -> str:
    """Return the position as text: ``1715400004500000``, or longer where more has to be told."""
    return "-".join(map(str, position if position.shown else position[:1]))


def decode_token(text: str) -> Position:
    """Return the position; raise ``InvalidQueryError`` for text that is no token of ours."""
    if text == BEGINNING:
        return Position()
    found = _TOKEN.fullmatch(text)
    if found is None:
        raise InvalidQueryError(_NO_TOKEN, "after")
    return Position(*(int(part) for part in found.groups() if part is not None))
