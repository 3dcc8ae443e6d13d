"""Splits a file that is one JSON array into the texts of its elements, without parsing them.

An element that is invalid JSON is yielded too, and splitting continues after it. The whole array is
never in memory.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 256 * 1024 * 1024
"""The maximum length of one record's text, in bytes."""
PIECE_BYTES = 1024 * 1024
TOO_LONG = "it is longer than 256 MiB"
NOT_IN_ARRAY = "it is no part of the array before it"
_CUT = "the array ends here unexpectedly"
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\],]', re.DOTALL)
_IN_TEXT = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)


class Text(NamedTuple):
    """The JSON text of one record of a file: a line, an item of an array, or a whole document."""

    place: str
    """The position of the record, for error messages: ``line 3``."""
    text: bytes
    fault: str = ""
    """Why the record cannot be read, if that is known without parsing it."""


def elements_of(file: IO[bytes]) -> Iterator[Text]:
    """Yield the elements of an array; at most one element and one chunk are in memory."""
    while file.read(1) != b"[":
        pass
    number, buffer, at, depth, is_long = 1, b"", 0, 0, False
    while True:
        begin = 0
        for token in _TOKEN.finditer(buffer, at):
            sign, at = token[0], token.end()
            if sign == b'"':  # the element continues in the next chunk
                at = token.start()
                break
            depth += (sign in b"{[") - (sign in b"}]") if len(sign) == 1 else 0
            if depth < 0 or (depth == 0 and sign == b","):
                text = buffer[begin : token.start()].strip()
                if text or is_long or number > 1 or depth == 0:  # false only for an empty array
                    yield _element(number, text, is_long=is_long)
                number, begin, is_long = number + 1, at, False
            if depth < 0:
                yield from _after(buffer[at:] + file.read(PIECE_BYTES), number - 1)
                return
        is_long = is_long or len(buffer) - begin > MAX_BYTES
        buffer, at = _left(buffer, at) if is_long else (buffer[begin:], at - begin)
        more = file.read(max(PIECE_BYTES, len(buffer)))
        if not more:
            yield _element(number, buffer, is_long=is_long, fault=_CUT)
            return
        buffer += more


def _element(number: int, text: bytes, *, is_long: bool, fault: str = "") -> Text:
    is_long = is_long or len(text) > MAX_BYTES
    return Text(f"item {number}", b"" if is_long else text, TOO_LONG if is_long else fault)


def _left(buffer: bytes, at: int) -> tuple[bytes, int]:
    """Return the unscanned rest of an oversized element, and the offset at which to continue.

    If a string is open, the rest starts with a quotation mark.
    """
    if buffer[at : at + 1] != b'"':
        return buffer[at:], 0
    rest = _IN_TEXT.match(buffer, at + 1)
    return b'"' + buffer[rest.end() if rest else len(buffer) :], 0


def _after(rest: bytes, items: int) -> Iterator[Text]:
    if rest.strip():
        yield Text(f"after item {items}", b"", NOT_IN_ARRAY)
