"""Runs work in a process of its own and measures the resources it uses."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


FRESH = get_context("forkserver")
FRESH.set_forkserver_preload(["spanloom.process.wiring"])
"""Processes are forked from one that has only imported Spanloom. It has no data and no engine,
whose threads would not survive the fork. A separate import in each process would take longer than
a quick measurement.
"""


def run_apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function of a module in a fresh process; return its result or raise its exception."""
    with ProcessPoolExecutor(1, mp_context=FRESH) as process:
        return process.submit(function, *args, **kwargs).result()


class Usage(NamedTuple):
    """The CPU-seconds of this process with all its threads, and the wall-clock time."""

    cpu_s: float
    wall_s: float
    """Monotonic, the same clock in every process."""

    @classmethod
    def now(cls) -> Self:
        """Read both clocks."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return cls(used.ru_utime + used.ru_stime, time.monotonic())

    def since(self, start: Usage) -> Usage:
        """Return the usage from the reading ``start`` to this reading."""
        return Usage(self.cpu_s - start.cpu_s, self.wall_s - start.wall_s)


def peak_rss_bytes() -> int:
    """Return the peak memory usage of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
