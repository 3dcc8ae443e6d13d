"""Memory settings for a long-running process, because the defaults cost CPU time."""

from __future__ import annotations

import ctypes
import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_MMAP_BYTES = 32 << 20
"""The maximum that glibc allows."""
_TRIM_BYTES = 128 << 20
"""Freed memory that the process may keep at the end of its heap."""
_ARENAS = 4
"""Heaps that the threads share. By default there are eight for each core, and each keeps its freed
memory: in an hour of load they grew from 73 to 102 MiB with 40 MiB in use."""


def favour_speed() -> None:
    """Tune the memory of this process for large, short-lived batches."""
    collect_garbage_rarely()
    _keep_freed_memory()


def collect_garbage_rarely() -> None:
    """Run the cycle collector a thousand times less often.

    The pipeline makes tens of thousands of short-lived tuples for each batch and almost no
    cycles; by default the collector takes a third of the extractor's time, and a sixth of the
    import time of a command.
    """
    gc.set_threshold(1_000_000, 20, 20)


@contextmanager
def without_collecting() -> Iterator[None]:
    """Disable the cycle collector in the block, which creates many objects and frees none."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def _keep_freed_memory() -> None:
    """Make glibc keep freed memory for the next batch; other C libraries have no such setting.

    By default it returns each buffer of some megabytes to the system, which hands it out again page
    by page: about a seventh of the CPU time of ingesting small spans. Source: mallopt(3).
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MMAP_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _TRIM_BYTES)
        mallopt(_M_ARENA_MAX, _ARENAS)
