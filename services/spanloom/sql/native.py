"""Converts ClickHouse's Native format to the revision that a client requests.

A client requests it as ``client_protocol_version``; the embedded engine writes revision 0. Later
revisions have a BlockInfo before each block (from 51903 on), and after each column's type a byte
for a custom serialization (from 54454 on). Where a column ends follows only from its type, so
columns are skipped by type, not decoded. Source: ClickHouse, src/DataTypes/Serializations,
src/Formats/NativeWriter.cpp, src/Core/BlockInfo.cpp.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.ports.sql import SqlError
from spanloom.wire.varint import decode_varint, encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_FIXED = {
    **dict.fromkeys(("UInt8", "Int8", "Bool", "Enum8", "Nothing"), 1),
    **dict.fromkeys(("UInt16", "Int16", "Date", "Enum16", "BFloat16"), 2),
    **dict.fromkeys(("UInt32", "Int32", "Float32", "Date32", "DateTime", "IPv4", "Time"), 4),
    **dict.fromkeys(("UInt64", "Int64", "Float64", "DateTime64", "Time64"), 8),
    **dict.fromkeys(("UInt128", "Int128", "UUID", "IPv6"), 16),
    **dict.fromkeys(("UInt256", "Int256"), 32),
    "Decimal32": 4,
    "Decimal64": 8,
    "Decimal128": 16,
    "Decimal256": 32,
}
_SAME_AS = {
    "Point": "Tuple(Float64, Float64)",
    "Ring": "Array(Point)",
    "LineString": "Array(Point)",
    "MultiLineString": "Array(LineString)",
    "Polygon": "Array(Ring)",
    "MultiPolygon": "Array(Polygon)",
}
_NAMED = re.compile(r"(?:`(?:[^`\\]|\\.)*`|[A-Za-z_][\w.]*) (?=[A-Z])")
"""The name of an element of a tuple: ``Tuple(step String, n UInt8)``."""
_INDEX_TYPE = 0xFF


class _Kind(NamedTuple):
    """A parsed type: ``Array(String)`` is ``Array`` with ``("String",)``."""

    name: str
    arguments: tuple[str, ...]


class Cursor:
    """A position in bytes, advanced by reading."""

    def __init__(self, content: bytes) -> None:
        """Start at the first byte."""
        self._content = content
        self.at = 0

    @property
    def left(self) -> bool:
        """Whether there are more bytes."""
        return self.at < len(self._content)

    def since(self, start: int) -> bytes:
        """Return the bytes from ``start`` to the position."""
        return self._content[start : self.at]

    def varint(self) -> int:
        """Read a varint."""
        number, self.at = decode_varint(self._content, self.at)
        return number

    def string(self) -> bytes:
        """Read a string prefixed by its size."""
        size = self.varint()
        self.at += size
        return self._content[self.at - size : self.at]

    def uint64(self) -> int:
        """Read a little-endian UInt64."""
        self.at += 8
        return int.from_bytes(self._content[self.at - 8 : self.at], "little")

    def skip(self, count: int) -> None:
        """Skip ``count`` bytes."""
        self.at += count


def skip_column(cursor: Cursor, kind: str, rows: int) -> None:
    """Skip a column; raises ``KeyError`` for an unknown type."""
    _prefix(cursor, kind)
    _data(cursor, kind, rows)


def _prefix(cursor: Cursor, kind: str) -> None:
    """Skip the prefix of a column's data: the version of each LowCardinality dictionary."""
    name, arguments = _parse_type(kind)
    if name == "LowCardinality":
        cursor.skip(8)
        return
    for argument in _inner(name, arguments):
        _prefix(cursor, argument)


def _data(cursor: Cursor, kind: str, rows: int) -> None:
    name, arguments = _parse_type(kind)
    match name:
        case "String":
            for _ in range(rows):
                cursor.skip(cursor.varint())
        case "FixedString":
            cursor.skip(int(arguments[0]) * rows)
        case "Nullable":
            cursor.skip(rows)
            _data(cursor, arguments[0], rows)
        case "Array" | "Map" | "Nested":
            _lists(cursor, _inner(name, arguments), rows)
        case "Tuple" | "SimpleAggregateFunction":
            for argument in _inner(name, arguments):
                _data(cursor, argument, rows)
        case "LowCardinality":
            _dictionary(cursor, arguments[0], rows)
        case _:
            cursor.skip(_width(name, arguments) * rows)


def _lists(cursor: Cursor, elements: tuple[str, ...], rows: int) -> None:
    """Skip the offsets of the lists, then their elements."""
    count = 0
    if rows:
        cursor.skip(8 * (rows - 1))
        count = cursor.uint64()
    for element in elements:
        _data(cursor, element, count)


def _dictionary(cursor: Cursor, kind: str, rows: int) -> None:
    if not rows:
        return
    width = 1 << (cursor.uint64() & _INDEX_TYPE)
    keys = cursor.uint64()
    inner = _parse_type(kind)
    _data(cursor, inner.arguments[0] if inner.name == "Nullable" else kind, keys)
    cursor.skip(width * cursor.uint64())


def _inner(name: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the types of the elements of a compound type, without the elements' names."""
    if name in ("Tuple", "Nested"):
        return tuple(
            _NAMED.sub("", argument, count=1) if _NAMED.match(argument) else argument
            for argument in arguments
        )
    if name == "SimpleAggregateFunction":
        return arguments[1:]
    return arguments if name in ("Array", "Map", "Nullable") else ()


def _width(name: str, arguments: tuple[str, ...]) -> int:
    if name == "Decimal":
        precision = int(arguments[0])
        return next(w for digits, w in ((9, 4), (18, 8), (38, 16), (76, 32)) if precision <= digits)
    return 8 if name.startswith("Interval") else _FIXED[name]


@cache
def _parse_type(kind: str) -> _Kind:
    """Parse a type to its name and arguments; commas in brackets or quotes do not separate them."""
    kind = _SAME_AS.get(kind, kind)
    name, bracket, rest = kind.partition("(")
    if not bracket:
        return _Kind(name, ())
    arguments, depth, start, quote = [], 0, 0, ""
    inside = rest[:-1]
    at = 0
    while at < len(inside):
        sign = inside[at]
        if sign == "\\" and quote:
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'`":
            quote = sign
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "," and not depth:
            arguments.append(inside[start:at].strip())
            start = at + 1
        at += 1
    return _Kind(name, (*arguments, inside[start:].strip()))


WITH_BLOCK_INFO = 51903
WITH_CUSTOM_SERIALIZATION = 54454
_BLOCK_INFO = bytes.fromhex("010002ffffffff00")
"""A BlockInfo without overflow rows and without a bucket number."""
_OWN_SERIALIZATION = b"\0"


def reframe(blocks: bytes, revision: int) -> bytes:
    """Convert blocks of revision 0 to ``revision``.

    Raises ``SqlError`` for a type whose columns cannot be skipped.
    """
    if revision < WITH_BLOCK_INFO:
        return blocks
    return b"".join(_reframed(Cursor(blocks), revision))


def header(columns: Iterable[tuple[str, str]]) -> bytes:
    """Return a block that has columns (name and type) but no rows; the engine does not write it."""
    named = [_string(name) + _string(kind) for name, kind in columns]
    return encode_varint(len(named)) + encode_varint(0) + b"".join(named)


def _reframed(cursor: Cursor, revision: int) -> Iterator[bytes]:
    mark = _OWN_SERIALIZATION if revision >= WITH_CUSTOM_SERIALIZATION else b""
    while cursor.left:
        yield _BLOCK_INFO
        start = cursor.at
        columns, rows = cursor.varint(), cursor.varint()
        for _ in range(columns):
            cursor.string()
            kind = cursor.string().decode()
            yield cursor.since(start) + mark
            start = cursor.at
            if rows:
                _skip(cursor, kind, rows)
        yield cursor.since(start)


def _skip(cursor: Cursor, kind: str, rows: int) -> None:
    try:
        skip_column(cursor, kind, rows)
    except KeyError as error:
        raise SqlError(
            *(48, "NOT_IMPLEMENTED"),
            f"A column of type {kind} cannot be sent in this client's Native"
            " format: ask for another one, or for toString() or toJSONString() of it",
        ) from error


def _string(text: str) -> bytes:
    encoded = text.encode()
    return encode_varint(len(encoded)) + encoded
