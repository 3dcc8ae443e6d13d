"""Functions for discovery if several processes divide the slices of all traces among themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.sharing import slice_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import TraceKey
    from spanloom.core.sharing import Slices
    from spanloom.extractor.readiness import PendingTrace


class Moved(NamedTuple):
    """The slices that a process has gained and lost since its last look."""

    gained: frozenset[int]
    lost: frozenset[int]


def moved(before: Slices, now: Slices) -> Moved:
    """Return the gained and lost slices; none if this process has all traces (``None``)."""
    if before is None or now is None:
        return Moved(frozenset(), frozenset())
    return Moved(now - before, before - now)


def lost_traces(
    pending: Mapping[TraceKey, PendingTrace], lost: frozenset[int]
) -> Iterable[TraceKey]:
    """Return the waiting traces in lost slices."""
    return [key for key in pending if slice_of(key) in lost]


def slice_watermarks(
    reached: Mapping[int, int], pending: Mapping[TraceKey, PendingTrace]
) -> Mapping[int, int]:
    """Return for each slice the second before which all changes are extracted or stored as waiting.

    ``reached`` has for each slice the second before which all changes have been read.
    """
    marks = dict(reached)
    for key, trace in pending.items():
        if trace.since_s and (number := slice_of(key)) in marks:
            marks[number] = min(marks[number], trace.since_s)
    return marks
