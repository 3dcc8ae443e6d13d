"""Rows in ClickHouse's RowBinary format: texts go over as they are, with nothing to escape.

For rows that carry whole documents: as JSON a document of 100 MB would be in memory three times
over. Many small values are cheaper as JSON. Source: ClickHouse documentation, "RowBinary".
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Parts: TypeAlias = tuple[bytes, ...]
Encoder: TypeAlias = Callable[..., Parts]  # takes a value of its column's type

_UINT32, _INT64, _UINT64 = struct.Struct("<I"), struct.Struct("<q"), struct.Struct("<Q")


def encode_rows(
    rows: Iterable[Mapping[str, object]], columns: Mapping[str, Encoder]
) -> Iterator[bytes]:
    """Give the parts of the rows, each row's values in the order of the columns."""
    for row in rows:
        for name, encode in columns.items():
            yield from encode(row[name])


def uint32(number: int) -> Parts:
    """Give a UInt32."""
    return (_UINT32.pack(number),)


def int64(number: int) -> Parts:
    """Give an Int64."""
    return (_INT64.pack(number),)


def uint64(number: int) -> Parts:
    """Give a UInt64."""
    return (_UINT64.pack(number),)


def boolean(value: bool) -> Parts:  # an encoder takes the value alone
    """Give a Bool."""
    return (b"\1" if value else b"\0",)


def text(value: str | bytes) -> Parts:
    """Give a String, LowCardinality or not; bytes are not copied."""
    encoded = value.encode() if isinstance(value, str) else value
    return (_length(len(encoded)), encoded)


def texts(values: Sequence[str]) -> Parts:
    """Give an Array(String)."""
    return (_length(len(values)), *(part for value in values for part in text(value)))


def _length(number: int) -> bytes:
    """Give an unsigned number in LEB128."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
