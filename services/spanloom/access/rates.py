"""How fast a project may send: one project's flood is refused before it costs the others.

A project has a bucket for spans and one for bytes. A request is let in while neither is empty and
charged when its size is known, so a bucket can go into debt; what comes then is refused at the
door, unread, until the debt is paid. On average nobody gets more than the rate.
"""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import RateLimitedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.access.quotas import Quotas

BURST_S = 2.0
"""A bucket holds what the rate gives in this time: batches come unevenly."""


class ProjectLimits(NamedTuple):
    """What one project may send; 0 is no limit."""

    spans_per_s: float = 0
    bytes_per_s: float = 0
    """Decoded bytes of requests."""
    stored_bytes: int = 0
    """Accepted bytes of requests, as long as retention keeps them."""


class Rates:
    """Meters what each project sends. Safe for many threads."""

    def __init__(
        self,
        default: ProjectLimits = ProjectLimits(),  # noqa: B008  # immutable
        own: Mapping[str, ProjectLimits] | None = None,
        clock_s: Callable[[], float] = time.monotonic,
        quotas: Quotas | None = None,
    ) -> None:
        """Limit every project by ``default``, those named in ``own`` by theirs.

        ``quotas``, if given, are checked and charged with them.

        Senders whose key names no project are one project together, named ``""``.
        """
        self._default = default
        self._own = own or {}
        self._clock_s = clock_s
        self._quotas = quotas
        self._lock = Lock()
        self._buckets: dict[str, tuple[_Bucket, _Bucket]] = {}

    def check(self, project: str) -> None:
        """Raise ``RateLimitedError`` with the time to wait if the project sends too much."""
        if self._quotas:
            self._quotas.check(project)
        with self._lock:
            now = self._clock_s()
            wait_s = max(bucket.wait_s(now) for bucket in self._of(project))
        if wait_s > 0:
            raise RateLimitedError(
                f"The project {project or 'of these senders'} sends more than it may: try again.",
                wait_s,
            )

    def charge(self, project: str, *, spans: int = 0, size: int = 0) -> None:
        """Take what a request brought from the project's buckets."""
        with self._lock:
            by_spans, by_bytes = self._of(project)
            by_spans.take(spans)
            by_bytes.take(size)

    def charge_stored(self, project: str, size: int) -> None:
        """Count what was accepted, and so will be stored."""
        if self._quotas:
            self._quotas.charge(project, size)

    def _of(self, project: str) -> tuple[_Bucket, _Bucket]:
        found = self._buckets.get(project)
        if found is None:
            limits = self._own.get(project, self._default)
            now = self._clock_s()
            found = (_Bucket(limits.spans_per_s, now), _Bucket(limits.bytes_per_s, now))
            self._buckets[project] = found
        return found


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
