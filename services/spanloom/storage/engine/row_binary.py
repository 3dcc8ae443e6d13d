"""Rows in ClickHouse's RowBinary format, in which texts are sent without escaping.

For rows with whole documents, because as JSON a document of 100 MB would be in memory three times.
Many small values are cheaper as JSON. Source: ClickHouse documentation, "RowBinary".
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Parts: TypeAlias = tuple[bytes, ...]
Encoder: TypeAlias = Callable[..., Parts]  # the argument has its column's type

LONG = 1 << 20
"""Texts of at least this many bytes are sent as separate chunks, shorter texts are joined."""

_UINT32, _INT64, _UINT64 = struct.Struct("<I"), struct.Struct("<q"), struct.Struct("<Q")


class RowBinary:
    """Rows as the body of an INSERT, each row's values in the order of the columns.

    It can be iterated again, because the driver resends a request if its connection was stale.
    """

    def __init__(
        self, rows: Sequence[Mapping[str, object]], columns: Mapping[str, Encoder]
    ) -> None:
        """Set the rows, which are encoded when they are sent."""
        self._rows = rows
        self._columns = columns

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body in chunks; long texts are not copied."""
        return joined(self._parts())

    def _parts(self) -> Iterator[bytes]:
        for row in self._rows:
            for name, encode in self._columns.items():
                yield from encode(row[name])


class Pieces:
    """Rows that are already encoded, as the body of an INSERT."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        """Set the chunks, which are sent unchanged."""
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        """Yield the same bytes in fewer chunks, as the driver's cost is per chunk, not per byte."""
        return joined(self._pieces)


def joined(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Join short chunks up to the length of a long chunk; long chunks are not copied."""
    gathered: list[bytes] = []
    size = 0
    for part in parts:
        length = len(part)
        if length < LONG:
            gathered.append(part)
            size += length
            if size < LONG:
                continue
        yield b"".join(gathered)
        gathered.clear()
        size = 0
        if length >= LONG:
            yield part
    yield b"".join(gathered)


def uint32(number: int) -> Parts:
    """Encode a UInt32."""
    return (_UINT32.pack(number),)


def int64(number: int) -> Parts:
    """Encode an Int64."""
    return (_INT64.pack(number),)


def uint64(number: int) -> Parts:
    """Encode a UInt64."""
    return (_UINT64.pack(number),)


def boolean(value: bool) -> Parts:  # an encoder has one positional parameter
    """Encode a Bool."""
    return (b"\1" if value else b"\0",)


def enum8(number: int) -> Parts:
    """Encode a value of an Enum8 by its number."""
    return (bytes((number,)),)


def text(value: str | bytes) -> Parts:
    """Encode a String, LowCardinality or not; bytes are not copied."""
    encoded = value.encode() if isinstance(value, str) else value
    return (encode_varint(len(encoded)), encoded)


def texts(values: Sequence[str]) -> Parts:
    """Encode an Array(String)."""
    return (encode_varint(len(values)), *(part for value in values for part in text(value)))


def uint64s(numbers: Sequence[int]) -> Parts:
    """Encode an Array(UInt64)."""
    return (encode_varint(len(numbers)), *map(_UINT64.pack, numbers))
