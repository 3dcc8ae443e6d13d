"""Limits the CPU time of building one trace, so that an endless loop fails that trace alone.

In a worker process the kernel does it (``workers/child.py``). In the process with the store a
thread watches the work of another thread, and raises an exception in it (see ADR 105). This ends
any loop of Python code, but not a single call into C that does not return.
"""

from __future__ import annotations

import ctypes
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_S = 10.0
A_SPAN_S = 0.001
"""CPU time limit per span, in seconds; ``LEAST_S`` is added.

``LEAST_S`` suffices for a few large spans; ``A_SPAN_S`` is ten times what each of many spans needs.
"""
AFTER_ONE = 0.1
"""Share of ``LEAST_S`` that the traces of a batch have after one of them was stopped.

A batch with a hundred such traces must not delay its other traces by a hundred times ``LEAST_S``. A
trace that is stopped only because of the shorter limit is built alone in its next attempt.
"""
LOOKS = 20
"""Number of times that the CPU time is read within ``LEAST_S``."""
TOO_SLOW = "building it takes more CPU time than a trace is given"

T = TypeVar("T")


class TooSlowError(Exception):
    """Raised if building a trace takes too much CPU time; its cause shows where it was stopped."""

    def __init__(self) -> None:
        """Set the message, which is shown in place of the trajectory."""
        super().__init__(TOO_SLOW)


class _Stopped(BaseException):
    """Raised in the watched thread; not an ``Exception``, so that the work does not handle it."""


def limit_s(span_count: int, least_s: float = LEAST_S) -> float:
    """Return the CPU time, in seconds, that a build of this many spans may take."""
    return least_s + A_SPAN_S * span_count


class BatchLimit:
    """The CPU time limits of the traces of one batch."""

    def __init__(self, watch: Watch | None = None) -> None:
        """Stop slow work with a ``watch``; without one, nothing is stopped."""
        self._watch = watch
        self._least_s = watch.least_s if watch else LEAST_S

    def run(self, span_count: int, work: Callable[[], T]) -> T:
        """Return the result of the work on one trace, which must not use the store.

        Raises ``TooSlowError`` if the work exceeds the limit for a trace of this many spans.
        """
        if self._watch is None:
            return work()
        try:
            return self._watch.run(limit_s(span_count, self._least_s), work)
        except TooSlowError:
            self._least_s = self._watch.least_s * AFTER_ONE
            raise


UNLIMITED = BatchLimit()


class _Work:
    """Work in progress in one thread."""

    def __init__(self, cpu_s: float) -> None:
        self.thread = threading.get_ident()
        self.clock = _cpu_clock(self.thread)
        self.cpu_s = cpu_s
        self.ends_s = self.clock() + cpu_s
        self.is_stopped = False


class Watch:
    """A thread that stops the work of another thread if it takes too much CPU time.

    One piece of work is watched at a time.
    """

    def __init__(self, least_s: float = LEAST_S) -> None:
        """Start watching; ``least_s`` is the limit of a trace without spans, in seconds."""
        self.least_s = least_s
        self._every_s = least_s / LOOKS
        self._lock = threading.Lock()
        self._work: _Work | None = None
        self._closed = threading.Event()
        self._thread = WatchedThread("time-limit", self._look_on)
        self._thread.start()

    def close(self) -> None:
        """End the thread; no work is stopped afterwards."""
        self._thread.expect_end()
        self._closed.set()

    def run(self, cpu_s: float, work: Callable[[], T]) -> T:
        """Return the result of the work; raises ``TooSlowError`` after ``cpu_s`` of CPU time.

        ``_Stopped`` may be raised after any instruction. It is handled wherever that is, because
        everything before ``_end`` has returned once is in the outer ``try``, and none is raised
        after that.
        """
        try:
            try:
                self._work = _Work(cpu_s)
                return work()
            finally:
                self._end()
        except _Stopped as stopped:
            self._end()
            raise TooSlowError from stopped

    def _end(self) -> None:
        """End the watch over the work in progress; discard a ``_Stopped`` not raised yet."""
        with self._lock:
            work, self._work = self._work, None
        if work is not None and work.is_stopped:
            _raise_in(work.thread, None)

    def _look_on(self) -> None:
        while not self._closed.wait(self._every_s):
            with self._lock:
                if (work := self._work) is not None and work.clock() > work.ends_s:
                    work.is_stopped = True
                    work.ends_s += work.cpu_s  # if the exception is lost, e.g. in a destructor
                    _raise_in(work.thread, _Stopped)


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
