"""Splits a file of JSON into the texts of its values, each with its place.

A file is JSON lines, one document, or one array, whose elements are values where a format says so.
At most one value is in memory, and none that is longer than ``MAX_BYTES``. A text that is broken is
yielded as it is: its reader says what is wrong with it, and the next is split off.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

import orjson

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MAX_BYTES = 256 * 1024 * 1024
"""The longest text of one value."""
FIRST_BYTES = 1024 * 1024
"""As much of the first line is read to decide what the file is."""
PIECE_BYTES = 1024 * 1024
TOO_LONG = "it is longer than 256 MiB"
TOO_DEEP = "it is nested too deeply"
EMPTY = "it is empty"
UTF_16 = "it is UTF-16 or UTF-32; UTF-8 is needed (`iconv -f utf-16 -t utf-8`)"
BEHIND = "it is no part of the array before it"
THE_FILE, DOCUMENT = "the file", "the document"
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_SURROGATE = b"\\ud"
_CONSTANT = re.compile(rb"\b(?:NaN|Infinity)\b")
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\],]', re.DOTALL)

IsContainer: TypeAlias = "Callable[[Any], bool]"
"""Whether an array whose first element this is holds values, and is none itself."""
Lines: TypeAlias = "Iterable[tuple[int, bytes]]"


class Text(NamedTuple):
    """The text of a value."""

    place: str
    """For people: ``line 3``."""
    text: bytes
    fault: str = ""
    """Why it is not read, if it is known without reading it."""


def split(file: IO[bytes], is_container: IsContainer) -> Iterator[Text]:
    """Yield the texts of a file, which has to be at its beginning and seekable."""
    head = file.read(4)
    if is_wide(head):
        yield Text(THE_FILE, b"", UTF_16)
        return
    start = len(_BOM) if head.startswith(_BOM) else 0
    file.seek(start)
    number, first = _first_line(file)
    if not first:
        yield Text(THE_FILE, b"", EMPTY)
    elif is_json(first):
        yield from _lines(chain([(number, first)], _rest(file, number)), is_container)
    else:
        yield from _without_a_first_line(file, start, first, is_container)


def is_wide(head: bytes) -> bool:
    """Return whether a file begins as UTF-16 or UTF-32 does, with a byte order mark or without."""
    pair = head[:2]
    return head.startswith(_WIDE) or (b"\x00" in pair and pair.strip(b"\x00") in (b"{", b"["))


def is_json(text: bytes) -> bool:
    """Return whether a text is one JSON value."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def parse(text: bytes, *, with_constants: bool = False) -> tuple[Any, bool]:  # as JSON has it
    """Return the value of a text, and whether lone surrogates in it were replaced by U+FFFD.

    Raises ``InvalidRequestError`` for a text that is no JSON. NaN and Infinity are none, unless
    ``with_constants`` permits them: they become null.
    """
    try:
        return orjson.loads(text), False
    except orjson.JSONDecodeError as error:
        is_broken = _SURROGATE in text.lower()
        if not is_broken and not (with_constants and _CONSTANT.search(text)):
            raise InvalidRequestError(f"it is no JSON: {error}") from error
    try:
        value = json.loads(text, parse_constant=None if with_constants else _refuse)
        return orjson.loads(dump(value)), is_broken
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError(f"it is no JSON: {error}") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _first_line(file: IO[bytes]) -> tuple[int, bytes]:
    """Return the first line that is not blank, at most its first MiB, and its number."""
    number = 1
    while line := file.readline(FIRST_BYTES):
        if line.strip():
            return number, line
        number += line.endswith(b"\n")
    return number, b""


def _rest(file: IO[bytes], number: int) -> Lines:
    """Yield the lines behind one with this number, each cut one byte behind the most."""
    while line := file.readline(MAX_BYTES + 1):
        number += 1
        yield number, line
        is_cut = len(line) > MAX_BYTES and not line.endswith(b"\n")
        while is_cut:
            rest = file.readline(PIECE_BYTES)
            is_cut = bool(rest) and not rest.endswith(b"\n")


def _lines(lines: Lines, is_container: IsContainer) -> Iterator[Text]:
    """Yield the values of lines; an array that is the only line holds the values itself."""
    full = ((number, line) for number, line in lines if line.strip())
    number, first = next(full)
    second = next(full, None)
    yield from _values(first, f"line {number}" if second else "", is_container)
    for number, line in chain([second] if second else [], full):
        yield from _values(line, f"line {number}", is_container)


def _values(line: bytes, place: str, is_container: IsContainer) -> Iterator[Text]:
    """Yield the values of a line; of a file that has no other, the place is empty."""
    where = place or "line 1"
    if len(line) > MAX_BYTES:
        yield Text(where, b"", TOO_LONG)
        return
    items = _items(line, is_container) if line.lstrip()[:1] == b"[" else None
    if items is None:
        yield Text(where, line)
        return
    before = f"{place}: " if place else ""
    for n, item in enumerate(items, 1):
        at = where if place and len(items) == 1 else f"{before}item {n}"
        try:
            yield Text(at, orjson.dumps(item))
        except orjson.JSONEncodeError:  # it is read to a depth of 1,024, and written to 254
            yield Text(at, b"", TOO_DEEP)


def _items(line: bytes, is_container: IsContainer) -> list[Any] | None:  # as JSON has them
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, list) and value and is_container(value[0]) else None


def _without_a_first_line(
    file: IO[bytes], start: int, first: bytes, is_container: IsContainer
) -> Iterator[Text]:
    """Yield the values of a file whose first line is none: one document, an array, broken lines."""
    second = _first_line(file)[1]
    file.seek(start)
    opening = first.strip()
    if opening[:1] == b"[" and (opening == b"[" or not _is_object(second)):
        elements = _elements(file)
        begun = next(elements, Text(DOCUMENT, b"[]"))
        if not is_json(begun.text) or is_container(orjson.loads(begun.text)):
            yield from chain([begun], elements)
            return
        file.seek(start)
    text = file.read(MAX_BYTES + 1) if len(first) < FIRST_BYTES else b""
    if text and len(text) <= MAX_BYTES and (is_json(text) or not _is_object(second)):
        yield Text(DOCUMENT, text)
    elif text and not _is_object(second):
        yield Text(DOCUMENT, b"", TOO_LONG)
    else:
        file.seek(start)
        yield from _lines(_rest(file, 0), is_container)


def _is_object(line: bytes) -> bool:
    return line.lstrip()[:1] in (b"{", b"[") and is_json(line)


def _elements(file: IO[bytes]) -> Iterator[Text]:
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
            yield Text(f"item {number}", buffer, fault or "the array is cut off here")
            return
        buffer += more


def _behind(rest: bytes, items: int) -> Iterator[Text]:
    if rest.strip():
        yield Text(f"behind item {items}", b"", BEHIND)
