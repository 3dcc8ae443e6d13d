"""Splits a file that is one JSON array into the texts of its elements, by its brackets.

An element that is broken is yielded as it is, and the next is split off; so a large array is never
in memory.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 256 * 1024 * 1024
"""The longest text of one value."""
PIECE_BYTES = 1024 * 1024
TOO_LONG = "it is longer than 256 MiB"
BEHIND = "it is no part of the array before it"
_CUT = "the array is cut off here"
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\],]', re.DOTALL)


class Text(NamedTuple):
    """The text of a value."""

    place: str
    """For people: ``line 3``."""
    text: bytes
    fault: str = ""
    """Why it is not read, if it is known without reading it."""


def elements_of(file: IO[bytes]) -> Iterator[Text]:
    """Yield the elements of an array, of which at most one and a piece are in memory."""
    while file.read(1) != b"[":
        pass
    number, buffer, at, depth = 1, b"", 0, 0
    while True:
        begin = 0
        for token in _TOKEN.finditer(buffer, at):
            sign, at = token[0], token.end()
            if sign == b'"':  # the text goes on in the next piece
                at = token.start()
                break
            depth += (sign in b"{[") - (sign in b"}]") if len(sign) == 1 else 0
            if depth < 0 or (depth == 0 and sign == b","):
                text = buffer[begin : token.start()].strip()
                if text or number > 1 or depth == 0:  # else it is an empty array
                    yield Text(f"item {number}", text)
                number, begin = number + 1, at
            if depth < 0:
                yield from _behind(buffer[at:] + file.read(PIECE_BYTES), number - 1)
                return
        buffer, at = buffer[begin:], at - begin
        more = file.read(max(PIECE_BYTES, len(buffer))) if len(buffer) <= MAX_BYTES else b""
        if not more:
            fault = "" if len(buffer) <= MAX_BYTES else TOO_LONG
            yield Text(f"item {number}", buffer, fault or _CUT)
            return
        buffer += more


def _behind(rest: bytes, items: int) -> Iterator[Text]:
    if rest.strip():
        yield Text(f"behind item {items}", b"", BEHIND)
