"""Quotas of stored bytes by project: bytes in the store plus bytes on their way to it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from spanloom.access.last_known import LastKnown, unpack_usage
from spanloom.core.errors import RateLimitedError, RetryableError
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.access.limits import LimitsByProject
    from spanloom.core.ports.upkeep import UsageReader


MAX_SLOTS = 64
"""Maximum number of slots; beyond it the oldest two are merged, as in an outage of the store."""
MAX_ARRIVING_PROJECTS = 10_000
"""Maximum projects in one slot, because senders may choose names; others count once stored."""


@dataclass(slots=True)
class _Slot:
    """Bytes by project accepted between two calls of ``turn``."""

    newest_seq: int = 0
    sizes: Counter[str] = field(default_factory=Counter)


class Arrivals:
    """Accepted bytes by project that the store's sums may lack; the caller must hold a lock.

    Example: the newest request before a ``turn`` has number 7. Its slot is dropped once a sum was
    read while no request below 8 was waiting. Numbers are compared because the clock may be set.
    """

    def __init__(self) -> None:
        """Start without counted bytes."""
        self._slots = [_Slot()]
        self._totals: Counter[str] = Counter()

    def of(self, project: str) -> int:
        """Return the bytes of a project."""
        return self._totals[project]

    def add(self, sizes: Mapping[str, int], seq: int) -> None:
        """Count accepted bytes by project, of a request with number ``seq`` or lower."""
        slot = self._slots[-1]
        slot.newest_seq = max(slot.newest_seq, seq)
        for project, size in sizes.items():
            if project in slot.sizes or len(slot.sizes) < MAX_ARRIVING_PROJECTS:
                slot.sizes[project] += size
                self._totals[project] += size

    def turn(self) -> None:
        """Begin a new slot: the sum that is read next may lack later requests."""
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
"""Interval in which sums are read from the store. Requests accepted by another collector, and
deletions, count after this time."""
RETRY_S = 5.0
KEEP_S = 60.0
"""Interval in which the sums are written to the data directory, for a start without the store."""
MAX_PROJECTS = 100_000
"""The largest projects whose stored bytes are read, because senders may choose the names."""


class Queue(Protocol):
    """Accepted requests that are not stored yet: the spool."""

    @property
    def last_seq(self) -> int:
        """The number of the newest request; later ones have higher numbers."""
        ...

    def stored_before(self) -> int:
        """Return a number below which no request is waiting any more."""
        ...


class Quotas(RepeatingPart):
    """Follows the stored bytes by project, between ``start`` and ``stop``; a ``Part``.

    Adds the store's sum, which all collectors share and which deletions and retention reduce, and
    the bytes accepted by this process that the sum may lack.
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

        ``known`` stores the sums; failures of the store are logged by ``outage``.
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
        """Read the sums and follow them.

        Without the store, begin with an earlier process's sums.
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
        """Count accepted bytes by project."""
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
        try:
            self.read()
        except RetryableError as error:
            self._outage.note(self.name, error)
            return
        self._outage.over(self.name)
        if self._stored and time.monotonic() >= self._keep_s:
            self._known.write(self._stored)
            self._keep_s = time.monotonic() + KEEP_S
