"""How much of each project may be stored: what the store has, and what is on its way there."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Protocol

from spanloom.access.arrivals import Arrivals
from spanloom.core.errors import RateLimitedError, RetryableError
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.access.limits_file import LimitsByProject
    from spanloom.core.ports.usage import UsageReader

READ_S = 2.0
"""How often the store is asked. What another collector accepts, or what is deleted, counts after
this time."""
RETRY_S = 5.0
MAX_PROJECTS = 100_000
"""Projects whose stored bytes are known; of more the largest. Senders may choose the names."""


class Queue(Protocol):
    """What is accepted and not yet stored: the spool."""

    @property
    def last_seq(self) -> int:
        """The number of the newest request; later ones have higher numbers."""
        ...

    def stored_before(self) -> int:
        """Return a number below which no request waits for the store any more."""
        ...


class Quotas(RepeatingPart):
    """Knows what each project has stored, between ``start`` and ``stop``; a ``Part``.

    The store's own sum counts, which every collector shares and which deletions and retention
    make smaller; and what this process has accepted and the sum may lack.
    """

    name = "quotas"

    def __init__(
        self,
        usage: UsageReader,
        limits: LimitsByProject,
        queue: Queue,
    ) -> None:
        """Limit projects by their ``stored_bytes``; ``queue`` is what is accepted here."""
        super().__init__(READ_S)
        self._usage = usage
        self._limits = limits
        self._queue = queue
        self._lock = Lock()
        self._stored: Mapping[str, int] = {}
        self._arrivals = Arrivals()

    def start(self) -> None:
        """Read what is stored and follow it."""
        self._round()
        super().start()

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
        """Take over what the store has, if that matters; raises ``StoreUnavailableError``."""
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
            get_logger(self.name).warning("stored bytes cannot be read", error=str(error))
