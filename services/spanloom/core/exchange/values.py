"""Splits a JSON file into the texts of its records, each with its position.

A file is JSON lines, one document, or one array, whose elements are the records unless the array is
a record of the format. At most one record is in memory, and none that is longer than ``MAX_BYTES``.
Invalid JSON is yielded too, so that the reader reports the fault, and splitting continues after it.
"""

from __future__ import annotations

import json
import re
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange import elements
from spanloom.core.exchange.elements import TOO_LONG, Text, elements_of
from spanloom.core.formats.json_bytes import TOO_DEEP, dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FIRST_BYTES = 1024 * 1024
"""Maximum bytes that are read from the first line to detect the kind of file."""
LOOKED_AT = 100
"""Maximum lines that are read to detect whether a file is one array."""
EMPTY = "it is empty"
UTF_16 = "it is UTF-16 or UTF-32; UTF-8 is needed (`iconv -f utf-16 -t utf-8`)"
THE_FILE, DOCUMENT = "the file", "the document"
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_SURROGATE = b"\\ud"
_CONSTANT = re.compile(rb"\b(?:NaN|Infinity)\b")
_INSIDE = frozenset({b"]", b"}", b","})
"""First bytes of lines that may occur inside a document, but not in JSON lines."""

IsContainer: TypeAlias = "Callable[[Any], bool]"
"""Returns whether an array with this first element is a list of records, not one record."""
Lines: TypeAlias = "Iterable[tuple[int, bytes]]"


def split(file: IO[bytes], is_container: IsContainer) -> Iterator[Text]:
    """Yield the texts of the records in a seekable file, from its beginning."""
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
    """Return whether a file begins like UTF-16 or UTF-32, with or without a byte order mark."""
    pair = head[:2]
    return head.startswith(_WIDE) or (b"\x00" in pair and pair.strip(b"\x00") in (b"{", b"["))


def is_json(text: bytes) -> bool:
    """Return whether a text is one JSON value."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def parse(text: bytes, *, with_constants: bool = False) -> tuple[Any, bool]:  # any JSON value
    """Parse a JSON text; return the value, and whether lone surrogates were replaced by U+FFFD.

    Raises ``InvalidRequestError`` for invalid JSON. If ``with_constants`` is set, NaN and Infinity
    become null; otherwise they are invalid.
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
    """Yield the lines after line ``number``, each cut one byte above the maximum length."""
    while line := file.readline(elements.MAX_BYTES + 1):
        number += 1
        yield number, line
        is_cut = len(line) > elements.MAX_BYTES and not line.endswith(b"\n")
        while is_cut:
            rest = file.readline(elements.PIECE_BYTES)
            is_cut = bool(rest) and not rest.endswith(b"\n")


def _lines(lines: Lines, is_container: IsContainer) -> Iterator[Text]:
    """Yield the texts in JSON lines; if the only line is an array, its elements may be records."""
    full = ((number, line) for number, line in lines if line.strip())
    number, first = next(full)
    second = next(full, None)
    yield from _values(first, f"line {number}" if second else "", is_container)
    for number, line in chain([second] if second else [], full):
        yield from _values(line, f"line {number}", is_container)


def _values(line: bytes, place: str, is_container: IsContainer) -> Iterator[Text]:
    """Yield the texts of the records in a line; ``place`` is empty if it is the only line."""
    where = place or "line 1"
    if len(line) > elements.MAX_BYTES:
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
        except orjson.JSONEncodeError:  # orjson parses 1,024 levels but writes 254
            yield Text(at, b"", TOO_DEEP)


def _items(line: bytes, is_container: IsContainer) -> list[Any] | None:  # any JSON values
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, list) and value and is_container(value[0]) else None


def _without_a_first_line(
    file: IO[bytes], start: int, first: bytes, is_container: IsContainer
) -> Iterator[Text]:
    """Yield the records if the first line is not JSON: a document, an array, or invalid lines."""
    opening = first.strip()
    if opening != b"[" and _has_lines(file, start, LOOKED_AT):
        file.seek(start)
        yield from _lines(_rest(file, 0), is_container)
    elif opening[:1] == b"[" and (found := _elements(file, start, is_container)):
        yield from found
    elif len(first) >= FIRST_BYTES:
        file.seek(start)
        yield from _lines(_rest(file, 0), is_container)
    else:
        yield from _document_or_lines(file, start, is_container)


def _elements(file: IO[bytes], start: int, is_container: IsContainer) -> Iterator[Text] | None:
    """Return the texts of an array's elements; ``None`` if the array is a record itself."""
    file.seek(start)
    found = elements_of(file)
    begun = next(found, Text(DOCUMENT, b"[]"))
    is_ours = not is_json(begun.text) or is_container(orjson.loads(begun.text))
    return chain([begun], found) if is_ours else None


def _document_or_lines(file: IO[bytes], start: int, is_container: IsContainer) -> Iterator[Text]:
    """Yield a document, or JSON lines of which the first lines are invalid."""
    file.seek(start)
    text = file.read(elements.MAX_BYTES + 1)
    is_long = len(text) > elements.MAX_BYTES
    if (is_long or not is_json(text)) and _has_lines(file, start):
        file.seek(start)
        yield from _lines(_rest(file, 0), is_container)
    else:
        yield Text(DOCUMENT, b"" if is_long else text, TOO_LONG if is_long else "")


def _has_lines(file: IO[bytes], start: int, most: int | None = None) -> bool:
    """Return whether any of the first ``most`` lines after the first is a separate record.

    A record is not separate if the next line closes or continues a container, as in a document.
    """
    file.seek(start)
    lines = (line.lstrip() for _, line in _rest(file, 0) if line.strip())
    is_value = False
    for line in islice(lines, 1, most):
        if is_value and line[:1] not in _INSIDE:
            return True
        is_value = _is_object(line)
    return is_value


def _is_object(line: bytes) -> bool:
    return line.lstrip()[:1] in (b"{", b"[") and is_json(line)
