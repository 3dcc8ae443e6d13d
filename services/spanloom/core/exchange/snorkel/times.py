"""Times for the steps of a trace, which has only how long they took."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def starts(began_ms: int, durations: Sequence[int], *, is_parallel: bool) -> Iterator[int]:
    """Yield when each step began: one after the other, or all at once where they ran in parallel.

    So a writer finds the same order and the same overlaps again.
    """
    start = began_ms
    for duration in durations:
        yield start
        if not is_parallel:
            start += duration
