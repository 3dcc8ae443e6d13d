"""The heartbeat of a process that uses a ClickHouse server, and its share of the work.

Every process writes heartbeats, so that others see that it is alive and which release it runs.
Extractors, indexers and replays claim slices of the traces by the list of live processes
(``core/sharing.py``). The list is only a hint: two processes may work on one slice without harm.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    NoHeartbeatError,
    SchemaTooNewError,
    SpanloomError,
    StoreUnavailableError,
)
from spanloom.core.model.upkeep import PARTS
from spanloom.core.ports.workers import LIVING_S
from spanloom.core.sharing import SLICES, Claims
from spanloom.logs import get_logger
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.ports.workers import WorkerStore
    from spanloom.core.sharing import Slices
    from spanloom.metrics import Metrics

BEAT_S = 3.0
"""Seconds between heartbeats: two in a row may fail before a process counts as dead."""
REFUSED_S = 60.0
"""Seconds after which a process whose account may not write heartbeats tries again."""
LOOK_S = 1.0
"""Seconds between reads of the list of live processes."""
SHARED = {"extract": "extract", "index": "index", "replay": "extract", "judge": "extract"}
"""The kinds of work that several processes share, each with the kind of process that does it."""
log = get_logger("heartbeat")


class Heartbeat(RepeatingPart):
    """Writes heartbeats and claims slices; a ``Part`` of the process (``process/supervisor.py``).

    If the store is unavailable, it tries again until the store answers.
    """

    name = "heartbeat"

    def __init__(
        self,
        workers: WorkerStore,
        me: str,
        kinds: Sequence[str],
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
        outage: Outage | None = None,
    ) -> None:
        """Write heartbeats with the kinds of work of the process whose id is ``me``.

        ``clock`` is monotonic, in seconds. Failures of the store are reported to ``outage``.
        """
        super().__init__(LOOK_S)
        self._workers = workers
        self._kinds = kinds
        self._metrics = metrics
        self._clock = clock
        self._started_s = clock()
        self._beat_s: float | None = None
        self._next_s = self._started_s
        self._is_refused = False
        self._outage = outage or Outage()
        self._claims = {
            work: Claims(me, LIVING_S, PARTS if work == "replay" else SLICES)
            for work, kind in SHARED.items()
            if kind in kinds
        }

    def held(self, work: str) -> Slices:
        """Return the slices that this process works on now; none before it has read the list.

        ``work`` is a key of ``SHARED``. A slice is a part of all traces; for ``replay``, of the
        traces of each replay.

        Raises ``StoreUnavailableError`` if the list of processes could not be read for ``LIVING_S``
        seconds and there are other processes, because they have taken over.
        """
        claims, now_s = self._claims[work], self._clock()
        if claims.is_stale(now_s):
            raise StoreUnavailableError("the heartbeat of this process does not reach the store")
        return claims.held(now_s)

    def run_once(self) -> None:
        """Write a heartbeat if one is due, and read the list of live processes."""
        now_s = self._clock()
        if now_s >= self._next_s:
            self._workers.beat(self._kinds, now_s - self._started_s)
            self._beat_s, self._next_s = now_s, now_s + BEAT_S
        if self._claims:
            living = self._workers.living()
            for work, claims in self._claims.items():
                claims.update([w.id for w in living if w.kind == SHARED[work]], self._clock())
                self._metrics.slices.labels(work).set(len(claims.held(self._clock())))

    def _round(self) -> None:
        try:
            self.run_once()
        except NoHeartbeatError as error:
            self._refused(error)
            self._outage.over(self.name)
        except SchemaTooNewError:
            raise  # the upgrade was finished: this release may write no more
        except SpanloomError as error:
            self._outage.note(self.name, error)
        else:
            self._is_refused = False
            self._outage.over(self.name)

    def _refused(self, error: NoHeartbeatError) -> None:
        """Continue without heartbeats; a process that shares work tries again in the next round."""
        if not self._is_refused:
            log.warning("no heartbeat can be written", error=str(error))
        self._is_refused = True
        if not self._claims:
            self._next_s = self._clock() + REFUSED_S

    def _repeat(self) -> None:
        """Write a heartbeat at once; record the end at the stop, so that others take over."""
        self._round()
        super()._repeat()
        try:
            if self._beat_s is not None:
                self._workers.end(self._kinds, self._clock() - self._started_s)
        except SpanloomError as error:
            log.info("the end of this process could not be recorded", error=str(error))
