"""How fast a project may send: one project's flood is refused before it costs the others.

A project has a bucket for spans and one for bytes. A request is let in while neither is empty and
charged when its size is known, so a bucket can go into debt; what comes then is refused at the
door, unread, until the debt is paid. On average nobody gets more than the rate.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.access.limits import unlimited
from spanloom.core.errors import RateLimitedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.access.limits import LimitsOf, ProjectLimits

BURST_S = 2.0
"""A bucket holds what the rate gives in this time: batches come unevenly."""


class Rates:
    """Meters what each project sends. Safe for many threads."""

    def __init__(
        self, limits_of: LimitsOf = unlimited, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Limit each project by its own limits.

        Senders whose key names no project are one project together, named ``""``.
        """
        self._limits_of = limits_of
        self._clock_s = clock_s
        self._lock = Lock()
        self._buckets: dict[str, _Buckets] = {}

    def check(self, project: str) -> None:
        """Raise ``RateLimitedError`` with the time to wait if the project sends too much."""
        with self._lock:
            now = self._clock_s()
            buckets = self._of(project)
            wait_s = max(buckets.spans.wait_s(now), buckets.bytes.wait_s(now))
        if wait_s > 0:
            raise RateLimitedError(
                f"The project {project or 'of these senders'} sends more than it may: try again.",
                wait_s,
            )

    def charge(self, project: str, *, spans: int = 0, size: int = 0) -> None:
        """Take what a request brought from the project's buckets."""
        with self._lock:
            buckets = self._of(project)
            buckets.spans.take(spans)
            buckets.bytes.take(size)

    def _of(self, project: str) -> _Buckets:
        """Return a project's buckets: new and full ones if its limits have changed."""
        limits = self._limits_of(project)
        found = self._buckets.get(project)
        if found is None or found.limits != limits:
            found = self._buckets[project] = _Buckets(limits, self._clock_s())
        return found


class _Buckets:
    """The two buckets of a project, and the limits they were made by."""

    def __init__(self, limits: ProjectLimits, now: float) -> None:
        self.limits = limits
        self.spans = _Bucket(limits.spans_per_s, now)
        self.bytes = _Bucket(limits.bytes_per_s, now)


class _Bucket:
    """A token bucket that may go into debt."""

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._level = rate * BURST_S
        self._filled_at = now

    def take(self, amount: float) -> None:
        self._level -= amount

    def wait_s(self, now: float) -> float:
        """Refill; return how long the bucket stays empty, 0 if it is not or has no limit."""
        if not self._rate:
            return 0.0
        gained = (now - self._filled_at) * self._rate
        self._level = min(self._level + gained, self._rate * BURST_S)
        self._filled_at = now
        return 0.0 if self._level > 0 else max(-self._level / self._rate, 0.1)
