"""Encodes an outline as columns of bytes (docs/adr/038-a-viewer-without-a-build.md)."""

from __future__ import annotations

import struct
import sys
from array import array
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.outline.rows import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.outline.rows import OutlineRow

MEDIA_TYPE = "application/vnd.spanloom.outline"
MAGIC = b"OUTL"
_MS = 1_000_000
"""Nanoseconds per millisecond; documents have times in milliseconds."""
_U1, _U2, _U4, _U8 = "B", "H", "I", "Q"
_MOST_4 = 2**32 - 1
_MOST_START = 2**31 - 1
"""Maximum difference of starts, because one bit is used for its sign."""


class Column(NamedTuple):
    """A column of an outline: one integer per row, all encoded with the same width."""

    name: str
    code: str
    """The type code of the standard module ``array``."""
    values: Iterable[int]


def encode_outline(rows: Sequence[OutlineRow], version: int) -> bytes:
    """Return the rows as bytes; ``version`` is the version of their document."""
    origin = min((row.start_ms for row in rows), default=0)
    unit = _unit(rows)
    names, agents = _dictionary(row.name for row in rows), {"": 0}
    for row in rows:
        agents.setdefault(row.agent, len(agents))
    columns = list(_columns(rows, origin, unit, names, agents))
    header = orjson.dumps(
        {
            "n": len(rows),
            "version": version,
            "origin_ns": str(origin * _MS),
            "unit_ns": unit * _MS,
            "kinds": KINDS,
            "names": list(names),
            "agents": list(agents),
            "columns": [(c.name, f"u{array(c.code).itemsize}") for c in columns],
        }
    )
    header += b" " * (-(len(header) + 8) % 8)
    body = (_transposed(column) for column in columns)
    return b"".join((MAGIC, struct.pack("<I", len(header)), header, *body))


def _columns(
    rows: Sequence[OutlineRow],
    origin: int,
    unit: int,
    names: Mapping[str, int],
    agents: Mapping[str, int],
) -> Iterator[Column]:
    kinds = {kind: number for number, kind in enumerate(KINDS)}
    yield Column("id", _U8, (int(row.id, 16) for row in rows))
    yield Column("start", _U4, _differences([(row.start_ms - origin) // unit for row in rows]))
    yield Column("dur", _U4, (row.duration_ms // unit for row in rows))
    yield Column("ttft", _U4, (min(row.first_token_ms // unit, _MOST_4) for row in rows))
    yield Column("tin", _U4, (min(row.input_tokens, _MOST_4) for row in rows))
    yield Column("tout", _U4, (min(row.output_tokens, _MOST_4) for row in rows))
    yield Column("name", _width(names), (names[row.name] for row in rows))
    yield Column("agent", _width(agents), (agents[row.agent] for row in rows))
    yield Column("depth", _U2, (row.depth for row in rows))
    yield Column("kind", _U1, (kinds[row.kind] for row in rows))
    yield Column("flags", _U1, (row.flags for row in rows))


def _unit(rows: Sequence[OutlineRow]) -> int:
    """Return the unit of times in ms: the smallest power of ten with which all times fit."""
    starts = [row.start_ms for row in rows]
    largest = max(
        max(starts, default=0) - min(starts, default=0),
        max((row.duration_ms for row in rows), default=0),
    )
    unit = 1
    while largest // unit >= _MOST_START:
        unit *= 10
    return unit


def _differences(values: Sequence[int]) -> Iterator[int]:
    """Yield each value's difference to the previous one, zigzag encoded: 1 for -1, 2 for 1."""
    before = 0
    for value in values:
        step = value - before
        yield (step << 1) ^ (step >> 63)
        before = value


def _dictionary(words: Iterable[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for word in words:
        numbers.setdefault(word, len(numbers))
    return numbers


def _width(words: Mapping[str, int]) -> str:
    return _U2 if len(words) < 2**16 else _U4


def _transposed(column: Column) -> bytes:
    """Return all first bytes, then all second bytes, and so on, which gzip compresses better."""
    values = array(column.code, column.values)
    if sys.byteorder == "big":
        values.byteswap()
    raw, width = values.tobytes(), values.itemsize
    return b"".join(raw[byte::width] for byte in range(width))
