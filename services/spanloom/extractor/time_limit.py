"""Limits the CPU time of building one trace, so that an endless loop fails that trace alone.

In a worker process the kernel does it (``workers/child.py``), in the process with the store a
thread (``watch.py``, ADR 105).
"""

from __future__ import annotations

from traceback import clear_frames
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_S = 10.0
A_SPAN_S = 0.001
"""CPU time limit per span, in seconds; ``LEAST_S`` is added.

``LEAST_S`` suffices for a few large spans; ``A_SPAN_S`` is ten times what each of many spans needs.
"""
FLOOR = 0.01
"""The least share of ``LEAST_S`` that a trace has after other traces of its batch were stopped."""
TOO_SLOW = "building it takes more CPU time than a trace is given"

T = TypeVar("T")


class TooSlowError(Exception):
    """Raised if building a trace takes too much CPU time; its cause shows where it was stopped."""

    def __init__(self) -> None:
        """Set the message, which is shown in place of the trajectory."""
        super().__init__(TOO_SLOW)

    def free_memory(self) -> None:
        """Release the values of the stopped work; the place where it was stopped stays."""
        self.__traceback__ = None
        if self.__cause__ is not None:
            clear_frames(self.__cause__.__traceback__)


def limit_s(span_count: int, least_s: float = LEAST_S) -> float:
    """Return the CPU time, in seconds, that a build of this many spans may take."""
    return least_s + A_SPAN_S * span_count


class Stopper(Protocol):
    """Stops work that takes too much CPU time; implemented by ``Watch``."""

    least_s: float
    """The limit of a trace without spans, in seconds."""

    def run(self, cpu_s: float, work: Callable[[], T]) -> T:
        """Return the result of the work; raises ``TooSlowError`` after ``cpu_s`` of CPU time."""


class BatchLimit:
    """The CPU time limits of the traces of one batch.

    After each trace that was stopped the others have less time: a quarter of ``LEAST_S`` after one,
    a ninth after two, and so on. So a hundred stopped traces delay the others by less than three
    times ``LEAST_S``. A trace that is stopped only because of a shorter limit is built in another
    batch in its next attempt.
    """

    def __init__(self, stopper: Stopper | None = None) -> None:
        """Stop slow work with a ``stopper``; without one, nothing is stopped."""
        self._stopper = stopper
        self._stopped = 0

    def run(self, span_count: int, work: Callable[[], T]) -> T:
        """Return the result of the work on one trace, which must not use the store.

        Raises ``TooSlowError`` if the work exceeds the limit for a trace of this many spans.
        """
        if self._stopper is None:
            return work()
        share = max((self._stopped + 1) ** -2, FLOOR)
        try:
            return self._stopper.run(limit_s(span_count, self._stopper.least_s * share), work)
        except TooSlowError:
            self._stopped += 1
            raise


UNLIMITED = BatchLimit()
