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


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """Assert that the CPU time of ``work(size)`` is about ``STEP`` times that of a quarter."""
    small = min(_seconds(work, size // STEP) for _ in range(2))
    large = _seconds(work, size)
    if large >= MOST * small:  # a neighbour may have slowed it down
        large = min(large, _seconds(work, size))
    assert large < MOST * small, f"{size} took {large:.2f} s, a quarter of it {small:.2f} s"


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.thread_time()  # others may have the processor meanwhile
    work(size)
    return time.thread_time() - began
