"""Enforces each project's quota of stored bytes; bytes on their way to the store count too."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from spanloom.access.last_known import LastKnown, unpack_usage
from spanloom.core.errors import RateLimitedError
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.access.limits import LimitsByProject
    from spanloom.core.ports.upkeep import UsageReader


MAX_SLOTS = 64
"""Maximum number of slots; if the store is down for long, the two oldest are merged."""
MAX_ARRIVING_PROJECTS = 10_000
"""Maximum projects in one slot, because senders may choose project names.

The bytes of other projects count once they are stored.
"""


@dataclass(slots=True)
class _Slot:
    """The accepted bytes of each project between two calls of ``Arrivals.turn``."""

    newest_seq: int = 0
    sizes: Counter[str] = field(default_factory=Counter)


class Arrivals:
    """Counts the accepted bytes of each project that the store's sums may lack.

    The caller holds a lock. Example: the newest request before a ``turn`` has the sequence 7. The
    slot of this request is dropped once a sum was read while no request with a sequence below 8 was
    waiting. Sequences are compared instead of times because the clock may be set back.
    """

    def __init__(self) -> None:
        """Start without counted bytes."""
        self._slots = [_Slot()]
        self._totals: Counter[str] = Counter()

    def of(self, project: str) -> int:
        """Return the counted bytes of a project."""
        return self._totals[project]

    def add(self, sizes: Mapping[str, int], seq: int) -> None:
        """Count accepted bytes per project, for requests up to the sequence ``seq``."""
        slot = self._slots[-1]
        slot.newest_seq = max(slot.newest_seq, seq)
        for project, size in sizes.items():
            if project in slot.sizes or len(slot.sizes) < MAX_ARRIVING_PROJECTS:
                slot.sizes[project] += size
                self._totals[project] += size

    def turn(self) -> None:
        """Begin a new slot, because the sum that is read next may lack later requests."""
        if self._slots[-1].sizes:
            self._slots.append(_Slot())
        if len(self._slots) > MAX_SLOTS:
            oldest = self._slots.pop(0)
            self._slots[0].sizes += oldest.sizes

    def forget(self, stored_before: int) -> None:
        """Drop slots before the last ``turn`` whose requests are all below ``stored_before``."""
        current = self._slots.pop()
        self._slots = [slot for slot in self._slots if slot.newest_seq >= stored_before]
        self._slots.append(current)
        self._totals = sum((slot.sizes for slot in self._slots), Counter())


READ_S = 2.0
"""Seconds between reads of the sums from the store.

Requests that another collector accepted, and deletions, count after this time.
"""
RETRY_S = 5.0
KEEP_S = 60.0
"""Seconds between writes of the sums to the data directory, for a start without the store."""
MAX_PROJECTS = 100_000
"""Maximum projects whose stored bytes are read, the largest first; senders may choose names."""


class Queue(Protocol):
    """Accepted requests that are not stored yet: the spool."""

    @property
    def last_seq(self) -> int:
        """The sequence of the newest request; later requests have higher sequences."""
        ...

    def stored_before(self) -> int:
        """Return a sequence below which no request is waiting any more."""
        ...


class Quotas(RepeatingPart):
    """Reads the stored bytes of each project between ``start`` and ``stop``, and checks quotas.

    The bytes of a project are the store's sum, which includes all collectors and is reduced by
    deletions and retention, plus the bytes accepted by this process that the sum may lack.
    """

    name = "quotas"

    def __init__(
        self,
        usage: UsageReader,
        limits: LimitsByProject,
        queue: Queue,
        known: LastKnown | None = None,
        outage: Outage | None = None,
    ) -> None:
        """Limit projects by their ``stored_bytes``; ``queue`` is the spool of this process.

        The sums are written to ``known``; failures of the store are logged by ``outage``.
        """
        super().__init__(READ_S)
        self._known = known or LastKnown()
        self._outage = outage or Outage()
        self._keep_s = time.monotonic()
        self._usage = usage
        self._limits = limits
        self._queue = queue
        self._lock = Lock()
        self._stored: Mapping[str, int] = {}
        self._arrivals = Arrivals()

    def start(self) -> None:
        """Read the sums, and from now on read them periodically.

        If the store is unavailable, begin with the sums that an earlier process wrote.
        """
        if self._limits.any_quota:
            self._stored = unpack_usage(self._known.read()) or {}
        self._round()
        super().start()

    def stop(self, grace_s: float) -> None:
        """See ``Part``; writes the last sums to the file."""
        super().stop(grace_s)
        if self._stored:
            self._known.write(self._stored)

    def check(self, project: str) -> None:
        """Raise ``RateLimitedError`` if the project has reached its quota."""
        if self.is_full(project):
            quota = self._limits.of(project).stored_bytes
            raise RateLimitedError(
                f"The project {project} has reached its quota of {quota:,} stored bytes: delete "
                "some (`spanloom delete`), shorten its retention or raise the quota.",
                RETRY_S,
            )

    def is_full(self, project: str) -> bool:
        """Return whether the project has reached its quota."""
        quota = self._limits.of(project).stored_bytes
        if not quota:
            return False
        with self._lock:
            return self._stored.get(project, 0) + self._arrivals.of(project) >= quota

    def charge(self, sizes: Mapping[str, int]) -> None:
        """Count accepted bytes per project."""
        limited = {p: size for p, size in sizes.items() if self._limits.of(p).stored_bytes}
        if limited:
            with self._lock:
                self._arrivals.add(limited, self._queue.last_seq)

    def read(self) -> None:
        """Read the sums if any project has a quota; raises ``StoreUnavailableError``."""
        if not self._limits.any_quota:
            return
        with self._lock:
            self._arrivals.turn()
        stored_before = self._queue.stored_before()
        stored = self._usage.stored_bytes(MAX_PROJECTS)
        with self._lock:
            self._stored = stored
            self._arrivals.forget(stored_before)

    def _round(self) -> None:
        with self._outage.watched(self.name):
            self.read()
            if self._stored and time.monotonic() >= self._keep_s:
                self._known.write(self._stored)
                self._keep_s = time.monotonic() + KEEP_S
