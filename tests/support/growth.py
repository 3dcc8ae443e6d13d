"""Compares the CPU time of a small and a large input, because seconds depend on the machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 4
"""How many times as large the large input is."""
MOST = 9
"""Limit of the ratio: linear work takes 4 to 6.5 times as long, quadratic work 16 times."""
ROUNDS = 4


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """Assert that the CPU time of ``work(size)`` is about ``STEP`` times that of a quarter.

    Other programs slow down the processor for seconds, so a failure must repeat ``ROUNDS`` times.
    """
    before, found = _seconds(work, size // STEP), []
    for _ in range(ROUNDS):
        large, after = _seconds(work, size), _seconds(work, size // STEP)
        if large < MOST * min(before, after):
            return
        found.append(f"{size} took {large:.2f} s, a quarter of it {min(before, after):.2f} s")
        before = after
    raise AssertionError(found)


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.thread_time()  # others may have the processor meanwhile
    work(size)
    return time.thread_time() - began
