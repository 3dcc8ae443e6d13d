"""Reads changed runs from the change feed, and stores events that fire or are withdrawn.

Events are stored before the position in the feed. After a crash in between, the page is evaluated
again and creates no event twice.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from spanloom.alerts.numbers import NumberAlerts
from spanloom.alerts.runs import RunAlerts
from spanloom.alerts.service import FOLLOWER
from spanloom.core.errors import PermanentError, StoreTooSmallError
from spanloom.core.model.access import Reach
from spanloom.core.sharing import hold_all
from spanloom.following.sharing import owns
from spanloom.logs import get_logger
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.alerts.events import NewEvents
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.feed import Announcement
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.sharing import Slices
    from spanloom.metrics import Metrics

EVERY_S = 0.5
"""Seconds between reads of the feed."""
NUMBERS_S = 2.0
"""Seconds between checks for due metrics and for deleted runs."""
KEEP_S = 60.0
"""Seconds after which the position is stored even without changes."""
MOST_DELETED = 1_000
_NS = 10**9
log = get_logger("alerts")


class Changes(Protocol):
    """The interface of a change-feed follower (``following/follower.py``)."""

    @property
    def has_more(self) -> bool:
        """Whether the feed had more than the last page."""

    def read(self) -> Sequence[Announcement]:
        """Return the next page; the same page until ``keep`` is called."""

    def keep(self) -> None:
        """Store the position after the last page."""

    def forget(self) -> None:
        """Forget the position, because another process follows now."""


class AlertWatcher(RepeatingPart):
    """Evaluates alerts in the background; waits while the store is unavailable.

    Implements ``Part``, the interface for components of the process (``process/supervisor.py``).
    """

    name = "alerts"

    def __init__(
        self,
        store: ReadingStore,
        changes: Changes,
        metrics: Metrics,
        *,
        notify: Callable[[], None] = lambda: None,
        outage: Outage | None = None,
        held: Callable[[], Slices] = hold_all,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Watch a store; ``notify`` is called when new events are stored.

        ``outage`` logs failures of the store. All work is divided into slices; ``held``
        returns the slices of this process. The process that holds a certain slice evaluates all
        alerts.
        """
        super().__init__(EVERY_S)
        self._store = store
        self._changes = changes
        self._metrics = metrics
        self._notify = notify
        self._outage = outage or Outage()
        self._held = held
        self._clock_ns = clock_ns
        self._runs = RunAlerts(store)
        self._numbers = NumberAlerts(store)
        self._next_ns = 0
        self._has_alerts = False
        self._keep_ns = 0
        self._is_counted = False
        """Whether the metrics of firing alerts reflect the stored events."""

    @property
    def owns_alerts(self) -> bool:
        """Whether this process evaluates alerts now; raises ``StoreUnavailableError``."""
        return owns(self._held(), FOLLOWER)

    def run_once(self) -> int:
        """Evaluate alerts on changed runs and due metrics; return the number of new events."""
        if not self.owns_alerts:
            self._changes.forget()
            self._count_nothing()
            return 0
        count, now_ns = 0, self._clock_ns()
        if now_ns >= self._next_ns:
            count += self._look_at_the_rest()
            self._next_ns = now_ns + int(NUMBERS_S * _NS)
        if self._has_alerts:
            count += self._look_at_runs()
        else:  # putting the first alert stores the position at which to begin
            self._changes.forget()
        if count or not self._is_counted:
            self._count()
        return count

    def _look_at_runs(self) -> int:
        count = 0
        while True:
            changed = self._changes.read()
            if changed:
                count += self._take([one.key for one in changed])
            has_more, now_ns = self._changes.has_more, self._clock_ns()
            if changed or has_more or now_ns >= self._keep_ns:
                self._changes.keep()
                self._keep_ns = now_ns + int(KEEP_S * _NS)
            if not has_more or self._stopping.is_set():
                return count

    def _look_at_the_rest(self) -> int:
        now_ns = self._clock_ns()
        self._has_alerts = any(not one.is_deleted for one in self._store.alerts.list(Reach.ALL))
        deleted = self._add(self._runs.look_at_deleted(MOST_DELETED, now_ns))
        return deleted + self._add(self._numbers.look(now_ns))

    def _take(self, keys: Sequence[TraceKey]) -> int:
        """Evaluate runs together; if that fails, one by one, so that no run blocks the others."""
        try:
            return self._add(self._runs.look(keys, self._clock_ns()))
        except (PermanentError, StoreTooSmallError) as error:
            if len(keys) == 1:
                trace_id = keys[0].trace_id
                log.error("alerts do not look at a run", trace_id=trace_id, error=str(error))
                return 0
            return sum(self._take([key]) for key in dict.fromkeys(keys))

    def _add(self, new: NewEvents) -> int:
        if new.events:
            self._store.alerts.add_events(new.events, new.shown)
            self._notify()
        return len(new.events)

    def _count(self) -> None:
        firing = self._store.alerts.firing(Reach.ALL)
        gauge = self._metrics.alerts_firing
        gauge.clear()
        for alert in self._store.alerts.list(Reach.ALL):
            if not alert.is_deleted:
                gauge.labels(*alert.place).set(firing.get(alert.place, 0))
        self._is_counted = True

    def _count_nothing(self) -> None:
        if self._is_counted:
            self._metrics.alerts_firing.clear()
            self._is_counted = False

    def _round(self) -> None:
        with self._outage.watched(self.name):
            self.run_once()
