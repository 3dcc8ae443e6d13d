"""Moves requests from the spool into the store, in batches, exactly as often as it takes.

A request leaves the spool only after the store has it. A crash between the two brings it
to the store again, which is why ``SpanWriter.append`` is idempotent.
"""

from __future__ import annotations

import sqlite3
import time
from threading import Event
from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError, SpanloomError, StoreRejectedError
from spanloom.core.ports.spans import Signal
from spanloom.telemetry import Metrics, get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.collector.spool.spool import Spool
    from spanloom.core.ports.spans import SpanWriter, SpooledRequest

FIRST_BACKOFF_S = 0.1
MAX_BACKOFF_S = 10.0
SPOOL_BACKOFF_S = 1.0
_IDLE_S = 0.1
"""How often an idle writer looks whether it should stop."""


class Writer:
    """One thread, one ``append`` per batch: large batches cost the store half of small ones.

    A part of the process (``process/part.py``). Should its thread die, the spool refuses from
    that moment on: nothing is acknowledged that nobody writes.
    """

    name = "writer"

    def __init__(
        self, spool: Spool, store: SpanWriter, metrics: Metrics, max_bytes: int, wait_s: float
    ) -> None:
        """Let batches grow to ``max_bytes``, but a small one for ``wait_s`` at most."""
        self._spool = spool
        self._store = store
        self._metrics = metrics
        self._max_bytes = max_bytes
        self._wait_s = wait_s
        self._stopping = Event()
        self._draining = Event()
        self._thread = WatchedThread("writer", self._run, self._refuse_more)
        self._log = get_logger("writer")

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._thread.failed

    def start(self) -> None:
        """Begin to move what waits."""
        self._thread.start()

    def drain(self, timeout_s: float) -> bool:
        """Wait until the spool is empty; say whether it is. Batches no longer wait to grow."""
        self._draining.set()
        until = time.monotonic() + timeout_s
        while self._spool.depth().records:
            if time.monotonic() >= until or not self._thread.is_alive:
                return False
            time.sleep(0.01)
        return True

    def stop(self, grace_s: float) -> None:
        """Drain for ``grace_s`` seconds, then end after the ``append`` under way.

        What is left stays in the spool for the next start.
        """
        self.drain(grace_s)
        self._thread.expect_end()
        self._stopping.set()
        self._thread.join()

    def _refuse_more(self, error: BaseException) -> None:
        self._spool.refuse(f"The writer has stopped ({error!r}): the service is about to restart.")

    def _run(self) -> None:
        while not self._stopping.is_set():
            if self._spool.wait_until(1, _IDLE_S):
                try:
                    self._let_grow()
                    self._move(self._spool.read_batch(self._max_bytes))
                except (RetryableError, sqlite3.Error) as error:
                    self._outlast(error)

    def _outlast(self, error: Exception) -> None:
        """Wait for a spool that cannot be read or shortened, as on a full disk.

        What the store took but the spool still has is stored again: that changes nothing.
        """
        self._log.warning("the spool cannot be worked off; trying again", error=str(error))
        self._stopping.wait(SPOOL_BACKOFF_S)

    def _let_grow(self) -> None:
        """Wait for a large batch until its oldest request has waited long enough."""
        until = time.monotonic() + self._wait_s - self._spool.age_s()
        while (left := until - time.monotonic()) > 0:
            if self._draining.is_set() or self._stopping.is_set():
                return
            if self._spool.wait_until(self._max_bytes, min(left, _IDLE_S)):
                return

    def _move(self, requests: Sequence[SpooledRequest]) -> None:
        """Store the requests; halve what the store refuses until the one at fault is alone."""
        if not requests or self._stopping.is_set():
            return
        try:
            if not self._append(requests):
                return
        except StoreRejectedError as error:
            self._metrics.insert_failures.labels(kind="rejected").inc()
            self._part(requests, error)
            return
        self._spool.delete([request.seq for request in requests])
        self._metrics.spans_stored.inc(
            sum(request.span_count for request in requests if request.signal is Signal.SPANS)
        )

    def _part(self, requests: Sequence[SpooledRequest], error: StoreRejectedError) -> None:
        if len(requests) == 1:
            self._log.error("the store refuses a request", seq=requests[0].seq, error=str(error))
            self._spool.set_aside(requests[0].seq, str(error))
            return
        middle = len(requests) // 2
        self._move(requests[:middle])
        self._move(requests[middle:])

    def _append(self, requests: Sequence[SpooledRequest]) -> bool:
        """Try until the store takes or refuses them; false if stopped before.

        Whatever is not a refusal may pass, a fault of ours included: nothing is given up.
        """
        backoff_s = FIRST_BACKOFF_S
        while True:
            try:
                with self._metrics.insert_seconds.time():
                    self._store.append(requests)
            except StoreRejectedError:
                raise
            except Exception as error:  # the thread must outlive any fault of a store
                self._note_failure(error, backoff_s)
            else:
                return True
            if self._stopping.wait(backoff_s):
                return False
            backoff_s = min(2 * backoff_s, MAX_BACKOFF_S)

    def _note_failure(self, error: Exception, backoff_s: float) -> None:
        expected = isinstance(error, SpanloomError)
        self._metrics.insert_failures.labels(kind="unavailable" if expected else "fault").inc()
        self._log.warning(
            "the store does not take a batch; trying again",
            error=str(error),
            again_in_s=backoff_s,
            exc_info=None if expected else error,
        )
