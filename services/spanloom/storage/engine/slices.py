"""Slices of the traces in queries, and how far each slice is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.sharing import SLICES
from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.sharing import Slices
    from spanloom.storage.engine.lane import Lane


def in_slices(slices: Slices, count: int = SLICES) -> Condition:
    """Return the condition that a row is of a trace in one of ``count`` slices (``slice_of``)."""
    if slices is None:
        return Condition("true", {})
    return Condition(
        f"CRC32(TraceId) % {count} IN JSONExtract({{slices:String}}, 'Array(UInt16)')",
        {"slices": sorted(slices)},
    )


def lowest(whole: int, marks: Mapping[int, int], slices: Slices) -> int:
    """Return the lowest watermark of the slices; one that holds for all traces holds for each."""
    return max(whole, min((marks.get(n, 0) for n in slices or ()), default=0))


def read_watermarks(lane: Lane, kind: str) -> Mapping[int, int]:
    """Return the second before which the work of this kind is done, by slice."""
    return {row.Slice: row.Second for row in lane.rows("read_slice_watermarks", kind=kind)}


def record_watermarks(lane: Lane, kind: str, seconds: Mapping[int, int]) -> None:
    """Record the second before which the work of this kind is done, by slice."""
    rows = [(kind, number, second) for number, second in sorted(seconds.items())]
    lane.insert("slice_watermarks", ("Kind", "Slice", "Second"), rows)
