"""Workers as they are needed: none before there is work, and no longer than there is."""

from __future__ import annotations

import time
from contextlib import suppress
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from spanloom.extractor.workers.worker import Worker
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.extractor.workers.messages import Begin
    from spanloom.telemetry import Metrics

UNUSED_S = 60.0
"""A worker that had nothing to do for so long gives its memory back."""
MANY_DEATHS = 3
"""After so many in a row, without an answer in between, none is started for a while."""
WITHOUT_S = 60.0
LOOK_S = 5.0
"""How often it is looked whether one has been stopped."""
log = get_logger("extractor")


class Pool:
    """Up to so many workers."""

    def __init__(self, most: int, begin: Begin, metrics: Metrics) -> None:
        """Take how many there may be, and what each is told first."""
        self._most = most
        self._begin = begin
        self._metrics = metrics
        self._workers: list[Worker] = []
        self._deaths = 0
        self._without_until_s = 0.0
        self._is_closed = False
        self._used_s = time.monotonic()

    @property
    def workers(self) -> Sequence[Worker]:
        """Those that run."""
        return self._workers

    def with_room(self) -> Worker | None:
        """Return the worker that has least to do and takes more; ``None`` if all are busy.

        Where none is idle one more is started: it takes part once it is ready.
        """
        self._used_s = time.monotonic()
        starting = any(not worker.is_ready for worker in self._workers)
        if not starting and not any(w.has_room and not w.under_way for w in self._workers):
            self._start()
        ready = [worker for worker in self._workers if worker.has_room]
        return min(ready, key=lambda worker: len(worker.under_way), default=None)

    def heard(self) -> Sequence[Worker]:
        """Wait for answers; return those who have one, or have ended."""
        while self._workers:
            if found := wait([worker.connection for worker in self._workers], LOOK_S):
                return [worker for worker in self._workers if worker.connection in found]
            for worker in self._workers:
                if worker.is_silent:
                    worker.kill()
                    return [worker]
        return []

    def has_answered(self) -> None:
        """Note that work was done: what came before was bad luck."""
        self._deaths = 0

    def has_died(self, worker: Worker, why: str) -> None:
        """Take a worker that has ended out; whoever closed the pool has done so already."""
        if worker not in self._workers:
            return
        self._workers.remove(worker)
        self._metrics.extract_worker_deaths.inc()
        self._metrics.extract_workers.set(len(self._workers))
        self._deaths += 1
        log.warning("a worker is gone; its traces are built again", pid=worker.pid, why=why)
        if self._deaths >= MANY_DEATHS:
            self._without_until_s = time.monotonic() + WITHOUT_S
            log.warning("building without workers for a while", deaths=self._deaths)
            self._deaths = 0

    def rest(self) -> None:
        """End those that were not needed for long."""
        if self._workers and time.monotonic() - self._used_s > UNUSED_S:
            self.end()

    def end(self) -> None:
        """End all: what they have under way is lost."""
        while self._workers:
            with suppress(OSError):
                self._workers.pop().kill()
        self._metrics.extract_workers.set(0)

    def close(self) -> None:
        """End all for good; another thread may be at work with them, and goes on without."""
        self._is_closed = True
        self.end()

    def _start(self) -> None:
        is_paused = time.monotonic() < self._without_until_s
        if self._is_closed or is_paused or len(self._workers) >= self._most:
            return
        try:
            self._workers.append(Worker(self._begin))
        except OSError as error:
            log.warning("no worker can be started", error=str(error))
            self._without_until_s = time.monotonic() + WITHOUT_S
        self._metrics.extract_workers.set(len(self._workers))
