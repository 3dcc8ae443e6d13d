"""A pool of workers, started on demand and ended when idle."""

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
"""Workers end after so long without work, which frees their memory."""
MANY_DEATHS = 3
"""After so many deaths without an answer in between, none is started for ``WITHOUT_S``."""
WITHOUT_S = 60.0
LOOK_S = 5.0
"""Seconds between checks for stopped workers while waiting."""
log = get_logger("extractor")


class Pool:
    """A pool with a maximum number of workers."""

    def __init__(self, most: int, begin: Begin, metrics: Metrics) -> None:
        """Allow up to ``most`` workers; each gets ``begin`` as its first message."""
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
        """The running workers."""
        return self._workers

    def with_room(self) -> Worker | None:
        """Return the least busy worker with room; ``None`` if all are busy.

        If none is idle another one is started, which is used once it is ready.
        """
        self._used_s = time.monotonic()
        starting = any(not worker.is_ready for worker in self._workers)
        if not starting and not any(w.has_room and not w.under_way for w in self._workers):
            self._start()
        ready = [worker for worker in self._workers if worker.has_room]
        return min(ready, key=lambda worker: len(worker.under_way), default=None)

    def wait_for_answers(self) -> Sequence[Worker]:
        """Wait for answers; return the workers that have one, or have ended."""
        while self._workers:
            if ready := wait([worker.connection for worker in self._workers], LOOK_S):
                return [worker for worker in self._workers if worker.connection in ready]
            for worker in self._workers:
                if worker.is_silent:
                    worker.kill()
                    return [worker]
        return []

    def note_answer(self) -> None:
        """Record an answer: reset the count of deaths in a row."""
        self._deaths = 0

    def note_death(self, worker: Worker, why: str) -> None:
        """Remove a worker that has ended; does nothing if the pool has ended it."""
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
        """End all workers if none was needed for long."""
        if self._workers and time.monotonic() - self._used_s > UNUSED_S:
            self.end()

    def end(self) -> None:
        """End all workers; their work in progress is lost."""
        while self._workers:
            with suppress(OSError):
                self._workers.pop().kill()
        self._metrics.extract_workers.set(0)

    def close(self) -> None:
        """End all workers for good; a thread that still uses the pool goes on without workers."""
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
