"""Slices, the parts into which all traces are divided: conditions on them, and their watermarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.sharing import SLICES
from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.sharing import Slices
    from spanloom.storage.engine.connection import Connection


def in_slices(slices: Slices, count: int = SLICES) -> Condition:
    """Return the condition that a row's trace is in one of these slices, of ``count`` slices.

    ``None`` means all slices; ``slice_of`` defines the slice of a trace.
    """
    if slices is None:
        return Condition("true", {})
    return Condition(
        f"CRC32(TraceId) % {count} IN JSONExtract({{slices:String}}, 'Array(UInt16)')",
        {"slices": sorted(slices)},
    )


def lowest(whole: int, marks: Mapping[int, int], slices: Slices) -> int:
    """Return the lowest watermark of the slices, but at least ``whole``, that of all traces."""
    return max(whole, min((marks.get(n, 0) for n in slices or ()), default=0))


def read_watermarks(connection: Connection, kind: str) -> Mapping[int, int]:
    """Return, for each slice, the second since the epoch up to which a ``kind`` of work is done."""
    return {row.Slice: row.Second for row in connection.rows("read_slice_watermarks", kind=kind)}


def record_watermarks(connection: Connection, kind: str, seconds: Mapping[int, int]) -> None:
    """Record, for each slice, the second since the epoch up to which a ``kind`` of work is done."""
    rows = [(kind, number, second) for number, second in sorted(seconds.items())]
    connection.insert("slice_watermarks", ("Kind", "Slice", "Second"), rows)
