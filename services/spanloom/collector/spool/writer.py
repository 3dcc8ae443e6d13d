"""Moves requests from the spool into the store, in batches.

A request is deleted from the spool only after it is stored. If the process crashes between the two,
the request is stored again, so ``SpanWriter.append`` must be idempotent.

If the store refuses a batch, the batch is bisected to find the bad requests, and each bad request
to find its bad spans. These become dead letters only if the store accepts a known good request
right afterwards: a store that refuses everything, for example after a failed upgrade, must not turn
good requests into dead letters.
"""

from __future__ import annotations

import sqlite3
import time
from threading import Event
from typing import TYPE_CHECKING

from spanloom.collector.spool.attempts import FAULT_TRIES, Attempts, Stall, StoppedError
from spanloom.collector.spool.reading import UnreadableRecordError
from spanloom.collector.spool.sift import MAX_FRUITLESS, assemble, cut, sift
from spanloom.core.errors import RetryableError
from spanloom.core.ports.spans import Signal
from spanloom.logs import get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.collector.spool.sift import Placed
    from spanloom.collector.spool.spool import Spool
    from spanloom.core.ports.spans import SpanWriter, SpooledRequest
    from spanloom.metrics import Metrics
    from spanloom.outage import Outage

SPOOL_BACKOFF_S = 1.0
MAX_SPAN_REFUSALS = 255
"""Refused attempts while bisecting one request; enough for a dozen bad spans among 10,000.

After that, good spans become a dead letter with the bad spans, because other requests are waiting.
"""
REFUSED_BACKOFF_S = 1.0
"""Seconds to wait before refused requests are tried again while the store accepts none."""
_IDLE_S = 1.0
"""Seconds between checks whether another process has changed the spool, while nothing arrives."""
IDLE_SPARE_BYTES = 2 << 20
BUSY_SPARE_BYTES = 192 << 20
"""Bytes that the spool's files may occupy beyond their content, while idle and while busy.

Idle means that no request has arrived for a second. While requests arrive, SQLite overwrites a
log of 64 MiB again and again, so shortening it earlier would be useless.
"""


class Writer:
    """Stores batches in one thread; a span in a large batch costs the store half as much.

    ``process/supervisor.py`` starts and stops it. If its thread dies, the spool refuses all further
    requests, because an acknowledged request would never be stored.
    """

    name = "writer"

    def __init__(
        self,
        spool: Spool,
        spans: SpanWriter,
        metrics: Metrics,
        max_bytes: int,
        wait_s: float,
        outage: Outage | None = None,
    ) -> None:
        """Wait for batches of ``max_bytes``, but for at most ``wait_s`` seconds.

        ``outage`` logs when the store is unavailable.
        """
        self._spool = spool
        self._stopping = Event()
        self._stall = Stall()
        self._attempts = Attempts(spans, metrics, self._stopping, self._stall, outage)
        self._metrics = metrics
        self._max_bytes = max_bytes
        self._wait_s = wait_s
        self._draining = Event()
        self._thread = WatchedThread("writer", self._run, self._refuse_more)
        self._log = get_logger("writer")
        self._neighbour: SpooledRequest | None = None
        """The known good request: the smallest in the batch that the store accepted last."""
        self._after = 0
        """Requests up to this sequence were refused, but may not be the cause, so they wait."""

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._thread.failed

    @property
    def trouble(self) -> str:
        """See ``Troubled``: why the store accepts no requests; empty while it accepts them."""
        return self._stall.trouble(self._spool.age_s)

    def start(self) -> None:
        """Start to move waiting requests."""
        self._thread.start()

    def drain(self, timeout_s: float) -> bool:
        """Store batches of any size until the spool is empty; return whether it is empty."""
        self._draining.set()
        self._spool.wake()
        until = time.monotonic() + timeout_s
        while self._spool.depth().records:
            if time.monotonic() >= until or not self._thread.is_alive:
                return False
            time.sleep(0.01)
        return True

    def stop(self, grace_s: float) -> None:
        """Drain for ``grace_s`` seconds, then end after the current ``append``.

        Remaining requests stay in the spool for the next start.
        """
        self.drain(grace_s)
        self._thread.expect_end()
        self._stopping.set()
        self._spool.wake()
        self._thread.join()

    def _refuse_more(self, error: BaseException) -> None:
        self._spool.refuse(f"The writer has stopped ({error!r}): the service is about to restart.")

    def _run(self) -> None:
        while not self._stopping.is_set():
            if self._spool.wait_until(1, _IDLE_S, self._stopping.is_set):
                try:
                    self._let_grow()
                    self._work_off()
                except StoppedError:
                    return
                except (RetryableError, sqlite3.Error) as error:
                    self._outlast(error)
                else:
                    self._shrink(BUSY_SPARE_BYTES)
            else:
                self._shrink(IDLE_SPARE_BYTES)

    def _shrink(self, spare_bytes: int) -> None:
        """Free the disk space left by a backlog; a failure is ignored, and retried later."""
        try:
            self._spool.shrink(spare_bytes)
        except (RetryableError, sqlite3.Error) as error:
            self._outlast(error)

    def _outlast(self, error: Exception) -> None:
        """After an error of the spool, such as a full disk, wait before it is used again.

        Requests that are stored but could not be deleted from the spool are stored again, which
        changes nothing.
        """
        self._log.warning("the spool cannot be worked off; trying again", error=str(error))
        self._stopping.wait(SPOOL_BACKOFF_S)

    def _let_grow(self) -> None:
        """Wait for a full batch, but not longer than its oldest request has waited ``wait_s``."""
        until = time.monotonic() + self._wait_s - self._spool.age_s()
        while (left := until - time.monotonic()) > 0 and not self._is_in_haste():
            if self._spool.wait_until(self._max_bytes, min(left, _IDLE_S), self._is_in_haste):
                return

    def _is_in_haste(self) -> bool:
        return self._draining.is_set() or self._stopping.is_set()

    def _work_off(self) -> None:
        """Store the oldest requests, or find the requests that the store refuses."""
        try:
            batch = self._spool.read_batch(self._max_bytes, self._after)
        except UnreadableRecordError as error:
            self._set_aside(error.seq, error)
            return
        if not batch:  # all waiting requests were refused
            self._after = 0
            self._stopping.wait(REFUSED_BACKOFF_S)
            return
        refusal = self._store_all(batch, FAULT_TRIES)
        if refusal is None:
            self._after = 0
        else:
            self._sift(batch, refusal)

    def _sift(self, batch: Sequence[SpooledRequest], refusal: Exception) -> None:
        """Make dead letters of the requests in a batch that the store refuses one by one.

        If the store does not accept the known good request either, the batch stays in the spool,
        and the next batch is tried.
        """
        fruitless = None if self._takes_neighbour() else MAX_FRUITLESS
        refused = sift(batch, refusal, self._store_all, fruitless=fruitless) or ()
        left = [self._store_good_spans(request, reason) for request, reason in refused]
        if self._takes_neighbour():
            for request in left:
                self._let_go(request)
            return
        self._log.error("the store refuses all alike: nothing is set aside", error=str(refusal))
        self._after = batch[-1].seq
        self._stopping.wait(REFUSED_BACKOFF_S)

    def _store_good_spans(self, request: SpooledRequest, refusal: Exception) -> SpooledRequest:
        """Store the acceptable spans of a refused request; return the request with the others.

        The whole request stays in the spool meanwhile: after a crash these spans are stored again,
        which has no effect.
        """
        spans = cut(request)
        if len(spans) < 2:
            return request

        def store(part: Sequence[Placed]) -> Exception | None:
            return self._store([assemble(request, part)], 1)

        fruitless = None if self._neighbour else MAX_FRUITLESS
        refused = sift(spans, refusal, store, fruitless=fruitless, most=MAX_SPAN_REFUSALS)
        if refused is None:
            return request
        return assemble(request, [placed for placed, _ in refused])

    def _let_go(self, request: SpooledRequest) -> None:
        """Make the remaining spans of a request a dead letter if the store still refuses them.

        They are tried again, because the store may have recovered after refusing them and before
        accepting the known good request. If stored, or if none remain, the request is deleted.
        """
        if request.span_count and (refusal := self._store([request], 1)):
            self._set_aside(request.seq, refusal, request)
        else:
            self._spool.delete([request.seq])

    def _takes_neighbour(self) -> bool:
        """Store the known good request again; return whether the store accepts it.

        If the store does not accept it, it no longer counts as a known good request.
        """
        if (
            self._neighbour is not None
            and self._attempts.until_answered([self._neighbour], FAULT_TRIES) is not None
        ):
            self._neighbour = None
        return self._neighbour is not None

    def _set_aside(self, seq: int, reason: Exception, rest: SpooledRequest | None = None) -> None:
        spans = rest and rest.span_count
        self._log.error("a request becomes a dead letter", seq=seq, spans=spans, error=str(reason))
        self._spool.set_aside(seq, str(reason), rest)

    def _store_all(self, requests: Sequence[SpooledRequest], tries: int = 1) -> Exception | None:
        """Store requests and delete them from the spool; return the store's refusal, if any."""
        refusal = self._store(requests, tries)
        if refusal is None:
            self._spool.delete([request.seq for request in requests])
        return refusal

    def _store(self, requests: Sequence[SpooledRequest], tries: int) -> Exception | None:
        """Store requests; return the store's refusal, if any."""
        refusal = self._attempts.until_answered(requests, tries)
        if refusal is None:
            self._stall.note_success()
            self._neighbour = min(requests, key=lambda request: len(request.body))
            self._metrics.spans_stored.inc(
                sum(request.span_count for request in requests if request.signal is Signal.SPANS)
            )
        return refusal
