"""Moves requests from the spool into the store, in batches, until the store has them.

A request leaves the spool only when it is in the store. After a crash between the two it is stored
again, which is why ``SpanWriter.append`` is idempotent.

A refused batch is bisected to find the bad requests, and these to find the bad spans. They are set
aside only if the store accepts a known good request right afterwards: a store that refuses
everything, for example after a failed upgrade, must not turn good requests into dead letters.
"""

from __future__ import annotations

import sqlite3
import time
from threading import Event
from typing import TYPE_CHECKING

from spanloom.collector.spool.attempts import FAULT_TRIES, Attempts, Stall, StoppedError
from spanloom.collector.spool.sift import MAX_FRUITLESS, assemble, cut, sift
from spanloom.collector.spool.spool import UnreadableRecordError
from spanloom.core.errors import RetryableError
from spanloom.core.ports.spans import Signal
from spanloom.telemetry import Metrics, get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.collector.spool.sift import Placed
    from spanloom.collector.spool.spool import Spool
    from spanloom.core.ports.spans import SpanWriter, SpooledRequest
    from spanloom.outage import Outage

SPOOL_BACKOFF_S = 1.0
MAX_SPAN_REFUSALS = 255
"""Attempts for the spans of one refused request: enough for a dozen bad spans among 10,000.

Beyond it good spans are set aside with the bad ones, because other requests are waiting.
"""
REFUSED_BACKOFF_S = 1.0
"""Seconds between two attempts of refused requests while the store accepts no others."""
_IDLE_S = 1.0
"""Seconds between an idle writer's checks for changes of the spool by another process."""
IDLE_SPARE_BYTES = 2 << 20
BUSY_SPARE_BYTES = 192 << 20
"""Bytes that the spool's files may occupy beyond their content: when idle, and while busy.

Idle means that no request has arrived for a second. While requests arrive all the time, a log of 64
MiB is overwritten again and again.
"""


class Writer:
    """One thread, one ``append`` per batch: large batches cost the store half of small ones.

    A part of the process (``process/supervisor.py``). If its thread dies, the spool refuses
    requests from that moment on, so nothing is acknowledged that would not be written.
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
        """Let batches grow to ``max_bytes``, but for at most ``wait_s`` seconds.

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
        """A small request that the store accepted last; storing it again is harmless."""
        self._after = 0
        """Requests up to this sequence are refused, but are not proven to be the cause."""

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._thread.failed

    @property
    def trouble(self) -> str:
        """See ``Troubled``: why the store accepts no requests; empty while it does."""
        return self._stall.trouble(self._spool.age_s)

    def start(self) -> None:
        """Start to move waiting requests."""
        self._thread.start()

    def drain(self, timeout_s: float) -> bool:
        """Wait until the spool is empty; return whether it is. Batches no longer wait to grow."""
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
        """Free the disk space of a backlog; if that fails, it is tried again later."""
        try:
            self._spool.shrink(spare_bytes)
        except (RetryableError, sqlite3.Error) as error:
            self._outlast(error)

    def _outlast(self, error: Exception) -> None:
        """Wait before the spool is read and shortened again, for example after the disk was full.

        Requests that are both in the store and still in the spool are stored again, without effect.
        """
        self._log.warning("the spool cannot be worked off; trying again", error=str(error))
        self._stopping.wait(SPOOL_BACKOFF_S)

    def _let_grow(self) -> None:
        """Wait for a large batch, until its oldest request has waited ``wait_s`` seconds."""
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
        """Set aside requests that are refused alone while the store accepts the known good request.

        If it does not accept that one, the batch waits, and the next batch is tried.
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
        """Store the good spans of a refused request; return the remainder.

        The request itself stays in the spool until then, because storing a span again has no
        effect.
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
        """Set aside the remainder of a request, if there is any and the store still refuses it.

        The store is asked again, because it may have recovered after refusing the remainder and
        before accepting the known good request.
        """
        if request.span_count and (refusal := self._store([request], 1)):
            self._set_aside(request.seq, refusal, request)
        else:
            self._spool.delete([request.seq])

    def _takes_neighbour(self) -> bool:
        """Return whether the store accepts its last accepted request again; if not, forget it."""
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
