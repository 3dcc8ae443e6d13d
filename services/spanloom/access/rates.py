"""Rate limits by project, with token buckets.

A project has a bucket for spans and one for bytes. A request is admitted while neither is empty
and charged when its size is known, so a bucket can go into debt; further requests are refused
unread until the debt is paid. On average no project exceeds its rate.
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
"""A bucket holds the tokens of this time, because batches arrive unevenly."""


class Rates:
    """Rate limits by project. Thread-safe."""

    def __init__(
        self, limits_of: LimitsOf = unlimited, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Limit each project by ``limits_of``.

        All senders whose key names no project share the project ``""``.
        """
        self._limits_of = limits_of
        self._clock_s = clock_s
        self._lock = Lock()
        self._buckets: dict[str, _Buckets] = {}

    def check(self, project: str) -> None:
        """Raise ``RateLimitedError`` with the time to wait if the project is over its rate."""
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
        """Charge spans and bytes of a request to the project's buckets."""
        with self._lock:
            buckets = self._of(project)
            buckets.spans.take(spans)
            buckets.bytes.take(size)

    def _of(self, project: str) -> _Buckets:
        """Return a project's buckets; they start full, and anew if its limits have changed."""
        limits = self._limits_of(project)
        buckets = self._buckets.get(project)
        if buckets is None or buckets.limits != limits:
            buckets = self._buckets[project] = _Buckets(limits, self._clock_s())
        return buckets


class _Buckets:
    """The two buckets of a project and the limits that they were made with."""

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
        """Refill; return the seconds until there are tokens, 0 if there are or without a limit."""
        if not self._rate:
            return 0.0
        gained = (now - self._filled_at) * self._rate
        self._level = min(self._level + gained, self._rate * BURST_S)
        self._filled_at = now
        return 0.0 if self._level > 0 else max(-self._level / self._rate, 0.1)
