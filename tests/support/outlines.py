"""Encodes outlines as the API sends them (ADR 38), from rows that are easy to write."""

from __future__ import annotations

import json
import struct
from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = ("agent", "model", "tool", "graph", "other")
_CODES = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q"}


class Row(NamedTuple):
    """A span of a run, in the order of a walk through the tree."""

    depth: int
    kind: str
    name: str
    start: int = 0
    dur: int = 0
    agent: str = ""
    tin: int = 0
    tout: int = 0
    flags: int = 0


def encode_outline(rows: Sequence[Row], *, version: int = 1, unit_ns: int = 1000) -> bytes:
    """Return the bytes of an outline; a row's span id is its number, starting at 1."""
    names = list(dict.fromkeys(row.name for row in rows))
    agents = list(dict.fromkeys(["", *(row.agent for row in rows)]))
    starts = [row.start for row in rows]
    differences = [now - before for before, now in zip([0, *starts], starts, strict=False)]
    columns: dict[str, tuple[str, list[int]]] = {
        "id": ("u8", [at + 1 for at in range(len(rows))]),
        "start": ("u4", [(d << 1) ^ (d >> 63) for d in differences]),
        "dur": ("u4", [row.dur for row in rows]),
        "tin": ("u4", [row.tin for row in rows]),
        "tout": ("u4", [row.tout for row in rows]),
        "name": ("u2", [names.index(row.name) for row in rows]),
        "agent": ("u2", [agents.index(row.agent) for row in rows]),
        "depth": ("u2", [row.depth for row in rows]),
        "kind": ("u1", [KINDS.index(row.kind) for row in rows]),
        "flags": ("u1", [row.flags for row in rows]),
    }
    header = {
        "n": len(rows),
        "version": version,
        "origin_ns": "1763600000000000000",
        "unit_ns": unit_ns,
        "kinds": KINDS,
        "names": names,
        "agents": agents,
        "columns": [[name, kind] for name, (kind, _) in columns.items()],
    }
    head = json.dumps(header).encode()
    head += b" " * (-(len(head) + 8) % 8)
    parts = [b"OUTL", struct.pack("<I", len(head)), head]
    for kind, values in columns.values():
        packed = array(_CODES[kind], values)
        parts += [packed.tobytes()[byte :: packed.itemsize] for byte in range(packed.itemsize)]
    return b"".join(parts)
