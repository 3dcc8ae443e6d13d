"""Retries INSERTs until the store accepts or refuses requests, and detects stalls.

A stall is a time in which nothing is stored. Requests are still acknowledged, because they wait in
the spool, and the process stays ready. But the operator has to act before the spool is full.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spanloom.core.errors import (
    SpanloomError,
    StoreFaultError,
    StoreRejectedError,
    StoreUnavailableError,
)
from spanloom.logs import get_logger
from spanloom.outage import Outage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from spanloom.core.ports.spans import SpanWriter, SpooledRequest
    from spanloom.metrics import Metrics


STALL_S = 60.0
"""Seconds without success before a stall is reported; longer than a server's restart."""


class Stall:
    """Tracks whether recent attempts stored any request that was not stored before."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        """Start without attempts."""
        self._clock_s = clock_s
        self._since_s: float | None = None
        """Time of the first failure after the last success."""
        self._last_s = 0.0
        self._kind = ""

    def note_failure(self, kind: str) -> None:
        """Record a failed attempt; ``kind`` is its label in the metrics."""
        self._last_s, self._kind = self._clock_s(), kind
        if self._since_s is None:
            self._since_s = self._last_s

    def note_success(self) -> None:
        """Record that a request was stored."""
        self._since_s = None

    def trouble(self, oldest_waits_s: Callable[[], float]) -> str:
        """Return a description of the stall, which names no project; empty if there is no stall.

        An old failure counts only if a request has also waited for long; otherwise the refused
        request has become a dead letter.
        """
        since_s, now_s = self._since_s, self._clock_s()
        if since_s is None or now_s - since_s < STALL_S:
            return ""
        if now_s - self._last_s >= STALL_S and oldest_waits_s() < STALL_S:
            return ""
        return (
            f"the store has accepted no batch for {(now_s - since_s) / 60:.0f} min ({self._kind}; "
            "the log says why): accepted requests wait in the spool or become dead letters"
        )


FAULT_TRIES = 3
"""Attempts to store a batch before it is halved, if the failure may be a bug in Spanloom."""
_LOOP = "writer"
FIRST_BACKOFF_S = 0.1
MAX_BACKOFF_S = 10.0


class StoppedError(Exception):
    """Raised if the writer was stopped; its current requests stay in the spool."""


class Attempts:
    """Stores requests with retries and backoff."""

    def __init__(
        self,
        spans: SpanWriter,
        metrics: Metrics,
        stopping: Event,
        stall: Stall,
        outage: Outage | None = None,
    ) -> None:
        """Set where to store requests; when ``stopping`` is set, retries end.

        Failures are recorded in ``stall``; ``outage`` logs when the store is unavailable.
        """
        self._outage = outage or Outage()
        self._spans = spans
        self._metrics = metrics
        self._stopping = stopping
        self._stall = stall
        self._log = get_logger("writer")

    def until_answered(self, requests: Sequence[SpooledRequest], tries: int) -> Exception | None:
        """Store requests; return the error if they are refused, ``None`` if they are stored.

        Retries without limit while the store is unavailable; unexpected errors, which may be a bug
        in Spanloom, are retried up to ``tries`` times. Raises ``StoppedError`` if stopped before.
        """
        backoff_s, faults = FIRST_BACKOFF_S, 0
        while True:
            error = self._append(requests)
            if error is None:
                return None
            faults += not isinstance(error, StoreUnavailableError)
            if is_refusal(error) or faults >= tries:
                return error
            if self._stopping.wait(backoff_s):
                raise StoppedError
            backoff_s = min(2 * backoff_s, MAX_BACKOFF_S)

    def _append(self, requests: Sequence[SpooledRequest]) -> Exception | None:
        """Try to store requests once; return the error, if any."""
        if self._stopping.is_set():
            raise StoppedError
        try:
            with self._metrics.insert_seconds.time():
                self._spans.append(requests)
        except Exception as error:  # the thread must survive any error of a store
            self._note_failure(error)
            return error
        self._outage.over(_LOOP)
        return None

    def _note_failure(self, error: Exception) -> None:
        kind = kind_of(error)
        self._metrics.insert_failures.labels(kind=kind).inc()
        self._stall.note_failure(kind)
        if kind == "unavailable":
            self._outage.note(_LOOP, error)
            return
        self._outage.over(_LOOP)  # the store answered
        self._log.warning(
            "the store does not accept a batch",
            error=str(error),
            kind=kind,
            exc_info=None if isinstance(error, SpanloomError) else error,
        )


def is_refusal(error: Exception) -> bool:
    """Return whether the data caused the error, so that a retry is useless."""
    return isinstance(error, StoreRejectedError) and not isinstance(error, StoreFaultError)


def kind_of(error: Exception) -> str:
    """Return the label for a failed INSERT in the metrics."""
    if isinstance(error, StoreUnavailableError):
        return "unavailable"
    return "rejected" if is_refusal(error) else "fault"
