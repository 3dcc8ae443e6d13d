"""Admits or refuses requests by free disk space, the project's quota and rate, bytes in flight."""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import Lock
from typing import TYPE_CHECKING, Self

from spanloom.access.limits import Rates
from spanloom.core.errors import OverloadedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from spanloom.access.quotas import Quotas
    from spanloom.collector.spool.free_space import FreeSpace


class Admission:
    """Checks disk space, quotas and rates before a request is read. Thread-safe."""

    def __init__(
        self,
        rates: Rates | None = None,
        quotas: Quotas | None = None,
        space: FreeSpace | None = None,
    ) -> None:
        """Set the checks; ``None`` disables a check."""
        self._rates = rates or Rates()
        self._quotas = quotas
        self._space = space

    def check(self, key_project: str) -> None:
        """Raise ``RateLimitedError`` if the project of an API key exceeds its rate or its quota.

        Raises ``OverloadedError`` while the disk is almost full. If the key has no project, quotas
        are checked later, when the projects of the resources are known.
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
        """Count a request's spans and bytes towards the rate limit for its key's project."""
        self._rates.charge(key_project, spans=spans, size=size)

    def charge_stored(self, sizes: Mapping[str, int]) -> None:
        """Count accepted bytes towards the quota of each project."""
        if self._quotas:
            self._quotas.charge(sizes)


class InFlightBudget:
    """Limits the bytes of all requests in flight.

    A weighted semaphore that raises an error instead of waiting; clients retry later.
    """

    def __init__(self, max_bytes: int) -> None:
        """Allow up to ``max_bytes`` bytes in flight."""
        self._max_bytes = max_bytes
        self._taken = 0
        self._lock = Lock()

    @property
    def taken(self) -> int:
        """Number of bytes in flight."""
        return self._taken

    def reserve(self) -> Reservation:
        """Return an empty reservation, a context manager that frees its bytes at exit."""
        return Reservation(self)

    def take(self, size: int) -> None:
        """Reserve bytes, or raise ``OverloadedError`` and reserve none."""
        with self._lock:
            if self._taken + size > self._max_bytes:
                raise OverloadedError("Too many bytes are in flight: try again.")
            self._taken += size

    def release(self, size: int) -> None:
        """Free reserved bytes."""
        with self._lock:
            self._taken -= size


class Reservation(AbstractContextManager["Reservation"]):
    """The bytes that a request has reserved, which grow while its body arrives and is inflated."""

    def __init__(self, budget: InFlightBudget) -> None:
        """Start with no bytes reserved."""
        self._budget = budget
        self._size = 0

    @property
    def size(self) -> int:
        """Number of reserved bytes."""
        return self._size

    def grow(self, size: int) -> None:
        """Reserve more; on ``OverloadedError`` the bytes reserved before stay reserved."""
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
        self._budget.release(self._size)
        self._size = 0
