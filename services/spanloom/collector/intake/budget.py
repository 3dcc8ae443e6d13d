"""How many bytes of requests may be in flight at one time.

A request has one reservation from its first byte until its answer, at whatever door.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import Lock
from typing import TYPE_CHECKING, Self

from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from types import TracebackType


class InFlightBudget:
    """A weighted semaphore that refuses instead of waiting: clients are better at waiting."""

    def __init__(self, max_bytes: int) -> None:
        """Allow up to ``max_bytes`` at one time."""
        self._max_bytes = max_bytes
        self._taken = 0
        self._lock = Lock()

    @property
    def taken(self) -> int:
        """How many bytes are in flight."""
        return self._taken

    def reserve(self) -> Reservation:
        """Begin a reservation of no bytes yet, which lasts until it is left."""
        return Reservation(self)

    def take(self, size: int) -> None:
        """Take bytes, or raise ``OverloadedError`` and take none."""
        with self._lock:
            if self._taken + size > self._max_bytes:
                raise OverloadedError("Too many bytes are in flight: try again.")
            self._taken += size

    def give_back(self, size: int) -> None:
        """Return bytes taken before."""
        with self._lock:
            self._taken -= size


class Reservation(AbstractContextManager["Reservation"]):
    """A request's share of the budget; grows while its body arrives and is inflated."""

    def __init__(self, budget: InFlightBudget) -> None:
        """Begin with nothing taken."""
        self._budget = budget
        self._size = 0

    @property
    def size(self) -> int:
        """How many bytes of the budget it has."""
        return self._size

    def grow(self, size: int) -> None:
        """Take more; ``OverloadedError`` leaves what was taken before."""
        self._budget.take(size)
        self._size += size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._budget.give_back(self._size)
        self._size = 0
