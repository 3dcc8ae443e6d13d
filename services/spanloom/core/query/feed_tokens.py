"""Tokens: positions in the change feed as text, which callers send back unchanged."""

from __future__ import annotations

import re

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.positions import Position, Summary

BEGINNING = "beginning"
"""Token of the position before all stored changes."""
LONGEST = 4096
"""The most characters of a token, enough for some 250 writers within a few seconds."""
_SEEN = r"(?:-([0-9a-f]{1,8})\.([0-9a-f]{1,8}))"
_TOKEN = re.compile(rf"(\d{{1,16}})(?:-(\d{{1,7}})({_SEEN}+))?", re.ASCII)
_SUMMARY = re.compile(r"(\d{1,16})-(\d{1,16})-(\d{1,5})-(\d{1,10})", re.ASCII)
"""A token of version 0.1.0, also used by this version while both may work on one store."""
_NO_TOKEN = (
    "not one that the feed gave; pass `next` of the answer before, unchanged, or "
    f"`{BEGINNING}` for all that is kept"
)


def encode_token(position: Position) -> str:
    """Return the position as text.

    ``1715400004500000``; if changes after it were shown, followed by their count and the last
    number of each writer, in hex: ``1715400004500000-3-9f01c2aa.1b-c0ffee01.2``.
    """
    if not position.shown:
        return str(position.until_us)
    if summary := position.summary:
        return f"{position.until_us}-{summary.newest_us}-{position.shown}-{summary.checksum}"
    seen = (f"-{writer:x}.{number:x}" for writer, number in position.seen)
    return f"{position.until_us}-{position.shown}{''.join(seen)}"


def decode_token(text: str) -> Position:
    """Return the position; raises ``InvalidQueryError`` for text that is no valid token."""
    if text == BEGINNING:
        return Position()
    if earlier := _SUMMARY.fullmatch(text):
        until_us, newest_us, shown, checksum = map(int, earlier.groups())
        return Position(until_us, shown, summary=Summary(newest_us, checksum))
    found = _TOKEN.fullmatch(text)
    if found is None:
        raise InvalidQueryError(_NO_TOKEN, "after")
    seen = re.findall(_SEEN, found[3] or "")
    numbers = tuple((int(writer, 16), int(number, 16)) for writer, number in seen)
    return Position(int(found[1]), int(found[2] or 0), numbers)
