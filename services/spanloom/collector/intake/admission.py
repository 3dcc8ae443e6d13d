"""Whether a request may enter: room on the disk, quota and rate of its project, bytes in flight."""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import Lock
from typing import TYPE_CHECKING, Self

from spanloom.access.rates import Rates
from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from spanloom.access.quotas import Quotas
    from spanloom.collector.spool.free_space import FreeSpace


class Admission:
    """Everything that may refuse a request for what was sent before it. Safe for many threads."""

    def __init__(
        self,
        rates: Rates | None = None,
        quotas: Quotas | None = None,
        space: FreeSpace | None = None,
    ) -> None:
        """Let everybody in whom none of the three refuses."""
        self._rates = rates or Rates()
        self._quotas = quotas
        self._space = space

    def check(self, key_project: str) -> None:
        """Raise ``RateLimitedError`` if the project of a key sends too much or has too much.

        Raises ``OverloadedError`` while the disk has no room. Of senders whose key names no project
        the quotas are looked at when theirs are known.
        """
        if self._space:
            self._space.check()
        if key_project and self._quotas:
            self._quotas.check(key_project)
        self._rates.check(key_project)

    def is_full(self, project: str) -> bool:
        """Return whether the project has reached its quota."""
        return self._quotas is not None and self._quotas.is_full(project)

    def charge(self, key_project: str, *, spans: int = 0, size: int = 0) -> None:
        """Count what a request brought to the rate of its key's project."""
        self._rates.charge(key_project, spans=spans, size=size)

    def charge_stored(self, sizes: Mapping[str, int]) -> None:
        """Count bytes that were accepted, and so will be stored, by project."""
        if self._quotas:
            self._quotas.charge(sizes)


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
