"""How much of each project may be stored: what the store has, and what is on its way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from spanloom.core.errors import RateLimitedError, RetryableError
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.access.limits import LimitsByProject
    from spanloom.core.ports.upkeep import UsageReader


MAX_SLOTS = 64
"""While the store is away the oldest slots become one: they are needed no more finely."""
MAX_ARRIVING_PROJECTS = 10_000
"""Projects in one slot; others count once they are stored. Senders may choose the names."""


@dataclass(slots=True)
class _Slot:
    """What was accepted between two turns."""

    newest_seq: int = 0
    sizes: Counter[str] = field(default_factory=Counter)


class Arrivals:
    """Accepted bytes by project, in order; the caller sees to it that one thread at a time asks.

    Example: of what came before a turn the newest request was number 7. It is forgotten when a sum
    was made while none below 8 waited for the store any more. A clock plays no part: it may be set.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self._slots = [_Slot()]
        self._totals: Counter[str] = Counter()

    def of(self, project: str) -> int:
        """Return the bytes of a project."""
        return self._totals[project]

    def add(self, sizes: Mapping[str, int], seq: int) -> None:
        """Count bytes that were accepted, by a request of this number or one below."""
        slot = self._slots[-1]
        slot.newest_seq = max(slot.newest_seq, seq)
        for project, size in sizes.items():
            if project in slot.sizes or len(slot.sizes) < MAX_ARRIVING_PROJECTS:
                slot.sizes[project] += size
                self._totals[project] += size

    def turn(self) -> None:
        """Keep apart what comes from now on: the sum that is made next may lack it."""
        if self._slots[-1].sizes:
            self._slots.append(_Slot())
        if len(self._slots) > MAX_SLOTS:
            oldest = self._slots.pop(0)
            self._slots[0].sizes += oldest.sizes

    def forget(self, stored_before: int) -> None:
        """Forget requests below a number, as far as they came before the last turn."""
        current = self._slots.pop()
        self._slots = [slot for slot in self._slots if slot.newest_seq >= stored_before]
        self._slots.append(current)
        self._totals = sum((slot.sizes for slot in self._slots), Counter())


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
        store: UsageReader,
        limits: LimitsByProject,
        queue: Queue,
    ) -> None:
        """Limit projects by their ``stored_bytes``; ``queue`` is what is accepted here."""
        super().__init__(READ_S)
        self._store = store
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
        stored = self._store.stored_bytes(MAX_PROJECTS)
        with self._lock:
            self._stored = stored
            self._arrivals.forget(stored_before)

    def _round(self) -> None:
        try:
            self.read()
        except RetryableError as error:
            get_logger(self.name).warning("stored bytes cannot be read", error=str(error))
