"""How much of each project may be stored: accepted bytes, counted until retention lets them go."""

from __future__ import annotations

import time
from collections import defaultdict
from threading import Event, Lock
from typing import TYPE_CHECKING

from spanloom.core.errors import RateLimitedError, RetryableError
from spanloom.telemetry import get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.access.rates import ProjectLimits
    from spanloom.core.ports.usage import UsageStore

WRITE_S = 5.0
"""How often usage is written: a killed process forgets at most this much of it."""
RETRY_S = 5.0
_DAY_S = 86_400


class Quotas:
    """Counts what each project has stored, between ``start`` and ``stop``; a ``Part``."""

    name = "quotas"

    def __init__(
        self,
        store: UsageStore,
        default: ProjectLimits,
        own: Mapping[str, ProjectLimits],
        retention_days: int,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Limit projects as ``Rates`` does; whoever opened the store closes it.

        Days older than ``retention_days`` no longer count; 0: all count for ever.
        """
        self._store = store
        self._default = default
        self._own = own
        self._retention_days = retention_days
        self._now_s = now_s
        self._lock = Lock()
        self._totals: defaultdict[str, int] = defaultdict(int)
        self._unwritten: defaultdict[str, int] = defaultdict(int)
        self._stopping = Event()
        self._thread = WatchedThread(self.name, self._follow)

    @property
    def failed(self) -> BaseException | None:
        """Why usage is no longer written; ``None`` while all is well."""
        return self._thread.failed

    def start(self) -> None:
        """Read what was stored so far and go on from there."""
        self.write()
        self._thread.start()

    def stop(self, grace_s: float) -> None:
        """Write what was not written yet."""
        self._thread.expect_end()
        self._stopping.set()
        self._thread.join(grace_s)
        self._attempt()

    def check(self, project: str) -> None:
        """Raise ``RateLimitedError`` if the project has reached its quota."""
        quota = self._own.get(project, self._default).stored_bytes
        if quota and self._totals.get(project, 0) >= quota:
            raise RateLimitedError(
                f"The project {project or 'of these senders'} has reached its {quota:,} stored "
                "bytes: delete some, shorten the retention or raise the quota.",
                RETRY_S,
            )

    def charge(self, project: str, size: int) -> None:
        """Count bytes that were accepted."""
        with self._lock:
            self._totals[project] += size
            self._unwritten[project] += size

    def write(self) -> None:
        """Write what is new, and count anew what retention has left."""
        today = int(self._now_s() // _DAY_S)
        since = today - self._retention_days if self._retention_days else 0
        with self._lock:
            new = dict(self._unwritten)
        if new:
            self._store.add(today, new)
        with self._lock:
            for project, size in new.items():
                self._unwritten[project] -= size
        stored = self._store.totals(since)
        with self._lock:
            self._unwritten = defaultdict(int, {p: n for p, n in self._unwritten.items() if n})
            self._totals = defaultdict(int, stored)
            for project, size in self._unwritten.items():
                self._totals[project] += size

    def _follow(self) -> None:
        while not self._stopping.wait(WRITE_S):
            self._attempt()

    def _attempt(self) -> None:
        try:
            self.write()
        except RetryableError as error:
            get_logger(self.name).warning("usage could not be written", error=str(error))
