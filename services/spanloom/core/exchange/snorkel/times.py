"""Computes start times for the steps of a trace, which has only durations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def starts(began_ms: int, durations: Sequence[int], *, is_parallel: bool) -> Iterator[int]:
    """Yield a start in ms for each step: one after another, or all at once if parallel.

    Our writer infers the same order and the same overlaps from these times.
    """
    start = began_ms
    for duration in durations:
        yield start
        if not is_parallel:
            start += duration
