"""Decodes an outline, as docs/adr/038-a-viewer-without-a-build.md describes it."""

from __future__ import annotations

import struct
from array import array
from typing import Any, NamedTuple

import orjson


class Outline(NamedTuple):
    """The header and the decoded columns."""

    header: dict[str, Any]
    columns: dict[str, list[int]]

    @property
    def ids(self) -> list[str]:
        return [f"{number:016x}" for number in self.columns["id"]]

    def words(self, column: str) -> list[str]:
        """Return the texts for the numbers of a column."""
        known = self.header[f"{column}s"]
        return [known[number] for number in self.columns[column]]


def decode_outline(body: bytes) -> Outline:
    assert body[:4] == b"OUTL"
    (length,) = struct.unpack("<I", body[4:8])
    assert (length + 8) % 8 == 0
    header = orjson.loads(body[8 : 8 + length])
    at, columns = 8 + length, {}
    for name, kind in header["columns"]:
        size = int(kind[1:]) * header["n"]
        columns[name] = _plain(body[at : at + size], int(kind[1:]), header["n"])
        at += size
    assert at == len(body)
    columns["start"] = list(_summed(columns["start"]))
    return Outline(header, columns)


def _plain(block: bytes, width: int, count: int) -> list[int]:
    raw = bytearray(len(block))
    for byte in range(width):
        raw[byte::width] = block[byte * count : (byte + 1) * count]
    values = array({1: "B", 2: "H", 4: "I", 8: "Q"}[width])
    values.frombytes(raw)
    return values.tolist()


def _summed(differences: list[int]) -> Any:
    total = 0
    for zigzag in differences:
        total += (zigzag >> 1) ^ -(zigzag & 1)
        yield total
