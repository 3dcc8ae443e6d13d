"""Native blocks for clients that request a revision (``client_protocol_version``).

The embedded engine writes revision 0. Later ones have a BlockInfo before each block (from 51903
on), and after each column's type a byte for a custom serialization (from 54454 on). The end of a
column follows only from its type, so columns are skipped by type, not decoded.
Source: ClickHouse, src/Formats/NativeWriter.cpp, src/Core/BlockInfo.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.sql import SqlError
from spanloom.sql.native_types import Cursor, skip_column
from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WITH_BLOCK_INFO = 51903
WITH_CUSTOM_SERIALIZATION = 54454
_BLOCK_INFO = bytes.fromhex("010002ffffffff00")
"""No overflow rows, no bucket number."""
_OWN_SERIALIZATION = b"\0"


def reframe(blocks: bytes, revision: int) -> bytes:
    """Convert blocks of revision 0 to ``revision``.

    Raises ``SqlError`` for a type whose columns cannot be skipped.
    """
    if revision < WITH_BLOCK_INFO:
        return blocks
    return b"".join(_reframed(Cursor(blocks), revision))


def header(columns: Iterable[tuple[str, str]]) -> bytes:
    """Return a block of columns (name and type) without rows, which the engine omits."""
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
