"""Stops the work of a thread that takes too much CPU time, by an exception (see ADR 105).

This ends any loop of Python code, but not a single call into C that does not return.
"""

from __future__ import annotations

import ctypes
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from spanloom.extractor.time_limit import LEAST_S, TooSlowError
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKS = 20
"""Number of times that the CPU time is read within ``LEAST_S``."""
PAUSE_S = 0.02
"""Shortest pause between two looks at work that is about to reach its limit."""

T = TypeVar("T")


class _Stopped(BaseException):
    """Raised in the watched thread; not an ``Exception``, so that the work does not handle it."""


class _Work:
    """Work in progress in one thread."""

    def __init__(self, cpu_s: float) -> None:
        self.thread = threading.get_ident()
        self.clock = _cpu_clock(self.thread)
        self.cpu_s = cpu_s
        self.ends_s = self.clock() + cpu_s
        self._is_stopped = False
        self._stopping = threading.Lock()
        """Held while the exception is raised, and from the end of the work on."""

    def stop(self) -> None:
        """Raise the exception in the thread, unless the work has ended.

        It is raised again after the same time, because it may be lost, e.g. in a destructor.
        """
        if self._stopping.acquire(blocking=False):
            self.ends_s += self.cpu_s
            self._is_stopped = True
            _raise_in(self.thread, _Stopped)
            self._stopping.release()

    def end(self) -> None:
        """Make ``stop`` do nothing from now on; discard an exception that is not raised yet.

        Waits without ``with``, and never releases: Python 3.14 may raise the exception after it has
        acquired the lock of a ``with`` and before the block, and would never release it.
        """
        while not self._stopping.acquire(blocking=False):
            time.sleep(0)
        if self._is_stopped:
            _raise_in(self.thread, None)


class Watch(RepeatingPart):
    """A thread that stops the work of another thread if it takes too much CPU time.

    One piece of work is watched at a time. A ``Part`` of the process (``process/supervisor.py``).
    """

    name = "time-limit"

    def __init__(self, least_s: float = LEAST_S) -> None:
        """Prepare the thread; ``least_s`` is the limit of a trace without spans, in seconds."""
        super().__init__(least_s / LOOKS)
        self.least_s = least_s
        self._work: _Work | None = None

    def run(self, cpu_s: float, work: Callable[[], T]) -> T:
        """Return the result of the work; raises ``TooSlowError`` after ``cpu_s`` of CPU time.

        ``_Stopped`` may be raised after any instruction, also in ``end``. It is handled wherever
        that is, because none is raised after ``end`` has returned.
        """
        mine = _Work(cpu_s)
        try:
            try:
                self._work = mine
                return work()
            finally:
                self._work = None
                mine.end()
        except _Stopped as stopped:
            self._work = None
            raise TooSlowError from stopped

    def _round(self) -> None:
        """Stop work that has reached its limit; look again when the work may reach it."""
        self._every_s = self.least_s / LOOKS
        if (work := self._work) is not None:
            left_s = work.ends_s - work.clock()
            if left_s <= 0:
                work.stop()
            self._every_s = min(max(left_s, PAUSE_S), self._every_s)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread before its next instruction; ``None`` discards a raised one.

    Source: ``PyThreadState_SetAsyncExc`` in the C API of Python.
    """
    pointer = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), pointer)


def _cpu_clock(thread: int) -> Callable[[], float]:
    """Return a clock of the CPU time of a running thread; macOS only has clocks of elapsed time."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    return partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
