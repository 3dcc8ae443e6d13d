"""Encodes positions in the change feed as tokens, texts that clients send back unchanged."""

from __future__ import annotations

import re

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.positions import Position, Summary

BEGINNING = "beginning"
"""The token for the position before all stored changes."""
LONGEST = 4096
"""Maximum length of a token in characters, enough for some 250 writers within a few seconds."""
_SEEN = r"(?:-([0-9a-f]{1,8})\.([0-9a-f]{1,8}))"
_TOKEN = re.compile(rf"(\d{{1,16}})(?:-(\d{{1,7}})({_SEEN}+))?", re.ASCII)
_SUMMARY = re.compile(r"(\d{1,16})-(\d{1,16})-(\d{1,5})-(\d{1,10})", re.ASCII)
"""Matches a token of version 0.1.0, which this version also uses while both share a store."""
_NO_TOKEN = (
    "not one that the feed gave; pass `next` of the answer before, unchanged, or "
    f"`{BEGINNING}` for all that is kept"
)


def encode_token(position: Position) -> str:
    """Return a position as a token.

    The token is the time of the position in µs: ``1715400004500000``. If changes after that time
    were shown, their count follows, and for each writer, in hex, its id and the last number shown:
    ``1715400004500000-3-9f01c2aa.1b-c0ffee01.2``.
    """
    if not position.shown:
        return str(position.until_us)
    if summary := position.summary:
        return f"{position.until_us}-{summary.newest_us}-{position.shown}-{summary.checksum}"
    seen = (f"-{writer:x}.{number:x}" for writer, number in position.seen)
    return f"{position.until_us}-{position.shown}{''.join(seen)}"


def decode_token(text: str) -> Position:
    """Return the position in a token; raises ``InvalidQueryError`` if the token is invalid."""
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
