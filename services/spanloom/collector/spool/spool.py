"""The durable queue of accepted requests, in a SQLite file.

One thread makes all changes (``group_commit.py``, ``records.py``); reads use a separate connection
(``reading.py``), which in SQLite's WAL mode neither waits for writes nor blocks them.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from threading import Condition
from typing import TYPE_CHECKING, NamedTuple

from spanloom.collector.spool.bound import RECORD_BYTES, RETRY_S, Bound
from spanloom.collector.spool.file import Connect, open_spool_file
from spanloom.collector.spool.group_commit import GroupCommitter
from spanloom.collector.spool.mending import is_damage, is_passing
from spanloom.collector.spool.reading import SpoolReader
from spanloom.collector.spool.records import Records
from spanloom.collector.spool.sequences import EVERY, Sequences
from spanloom.collector.spool.shrinking import cut_log, drop_free_pages, size_on_disk
from spanloom.core.errors import OverloadedError, SpanloomError
from spanloom.core.ports.spans import Signal, SpooledRequest
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from spanloom.metrics import Metrics


class Depth(NamedTuple):
    """Number and size of the requests that wait in the spool, and the age of the oldest."""

    records: int
    bytes: int
    oldest_accepted_ns: int | None
    """Time at which the oldest waiting request was accepted; ``None`` if no request waits."""


class SpoolFailedError(SpanloomError):
    """Raised if the spool's file could not be written or synced, or is damaged."""


class Spool:
    """A bounded, durable queue of requests in order of their sequences.

    ``put`` returns after the fsync. A sequence is the time in microseconds since the epoch, but
    always larger than all earlier sequences, even if the clock is set back. After an I/O error the
    spool has failed and accepts no more requests; ``process/supervisor.py`` watches ``failed``.
    """

    name = "spool"

    def __init__(
        self,
        path: Path,
        max_bytes: int,
        metrics: Metrics,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
        connect: Connect = sqlite3.connect,
        sequences: Sequences = EVERY,
    ) -> None:
        """Open the spool file; requests get their numbers from ``sequences``.

        Raises ``SchemaTooNewError``, ``SchemaTooOldError`` and ``StartupError``.
        """
        self._bound = Bound(max_bytes)
        self._metrics = metrics
        self._clock_ns = clock_ns
        self._path = path
        self._connect = connect
        self._writing = open_spool_file(path, connect)
        self._reading = SpoolReader(path, connect)
        self._changed = Condition()
        self._records = Records(self._writing, sequences)
        self._durable = replace(self._records.totals)
        self._error: SpoolFailedError | None = None
        self._refusal = ""
        self._committer = GroupCommitter(self._writing, self)
        metrics.spool_age_seconds.set_function(self.age_s)
        self._show()

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._error or self._committer.failed

    def start(self) -> None:
        """See ``Part``; does nothing, because an open spool accepts requests."""

    def stop(self, grace_s: float) -> None:  # noqa: ARG002  # what was put is committed, always
        """See ``Part``."""
        self.close()

    def refuse(self, reason: str) -> None:
        """Refuse requests from now on, with the reason and a retry hint for clients."""
        with self._changed:
            self._refusal = self._refusal or reason

    def put(self, project: str, body: bytes, span_count: int, signal: Signal = Signal.SPANS) -> int:
        """Store a request; return its sequence number once it is fsynced.

        Raises ``OverloadedError`` if the spool or the disk is full or has failed.
        """
        return self.submit(project, body, span_count, signal).result()

    def submit(
        self, project: str, body: bytes, span_count: int, signal: Signal = Signal.SPANS
    ) -> Future[int]:
        """Submit a request to be stored; the future has the result or error of ``put``."""
        size = len(body) + RECORD_BYTES
        self._take_room(size)
        accepted_at_ns = self._clock_ns()
        future = self._committer.submit(
            lambda: self._records.insert(project, accepted_at_ns, body, span_count, signal)
        )
        future.add_done_callback(lambda _: self._give_room(size))
        return future

    def read_batch(self, max_bytes: int, after: int = 0) -> list[SpooledRequest]:
        """Return the oldest requests after a sequence, at least one, up to ``max_bytes`` in total.

        Raises ``UnreadableRecordError`` if this version cannot read one of them, and
        ``sqlite3.Error`` if the file cannot be read; if it is damaged, the spool has failed.
        """
        try:
            return self._reading.batch(max_bytes, after)
        except sqlite3.Error as error:
            if is_damage(error):
                self._fail(f"is damaged, which the next start mends: {error}")
            raise

    def delete(self, seqs: Sequence[int]) -> None:
        """Delete requests that are in the store; return once the deletion is durable."""
        self._committer.submit(lambda: self._records.remove(seqs)).result()

    def set_aside(self, seq: int, reason: str, rest: SpooledRequest | None = None) -> None:
        """Move a request that the store refuses to the dead letters.

        If the store has accepted some of its spans, ``rest`` is the request with the other spans.
        Dead letters count towards the spool's limit; ``dead_letters.py`` lists and retries them.
        """
        self._committer.submit(lambda: self._records.set_aside(seq, reason, rest)).result()
        self._metrics.dead_letters.inc()

    def depth(self) -> Depth:
        """Return number, size and age of the waiting requests."""
        oldest = self._reading.oldest_accepted_ns()
        return Depth(self._durable.records, self._durable.bytes, oldest)

    def age_s(self) -> float:
        """Return the seconds that the oldest request has waited; 0 if none waits."""
        oldest = self.depth().oldest_accepted_ns
        return 0.0 if oldest is None else max(0, self._clock_ns() - oldest) / 1e9

    @property
    def last_seq(self) -> int:
        """The last sequence number assigned."""
        return self._durable.last_seq

    @property
    def is_full(self) -> bool:
        """Whether requests are refused because the spool is full."""
        with self._changed:
            return self._bound.is_full(self._durable)

    def stored_before(self) -> int:
        """Return a sequence below which each request is in the store, or is a dead letter."""
        next_seq = self.last_seq + 1
        oldest = self._reading.oldest_seq()
        return next_seq if oldest is None else oldest

    def wait_until(
        self, min_bytes: int, timeout_s: float, is_enough: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait until ``min_bytes`` of requests are in the spool; return whether they are.

        Changes by another process are noticed only at the end of the wait. The wait ends earlier if
        ``is_enough`` returns true; it is called again after each ``wake``.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._durable.bytes >= min_bytes or is_enough(), timeout_s
            )
            if self._durable.bytes < min_bytes:
                self._read_totals()
            return self._durable.bytes >= min_bytes

    def wake(self) -> None:
        """Make waiting threads call ``is_enough`` again."""
        with self._changed:
            self._changed.notify_all()

    def shrink(self, spare_bytes: int) -> None:
        """Free disk space if the files occupy more than their content and ``spare_bytes``.

        Raises ``OverloadedError`` or ``sqlite3.Error`` if the disk is full or has failed.
        """
        held = self._durable.bytes + self._durable.dead_bytes
        if size_on_disk(self._path) - held <= spare_bytes:
            return
        while self._committer.submit(self._drop_free_pages).result():
            pass
        self._reading.free_memory()
        cut_log(self._path, self._connect)

    def close(self) -> None:
        """Commit all requests, then close the file; a closed spool is not used again."""
        self._committer.close()
        self._metrics.spool_age_seconds.set_function(lambda: 0.0)
        self._writing.close()
        self._reading.close()

    def _take_room(self, size: int) -> None:
        with self._changed:
            if self._refusal:
                raise OverloadedError(self._refusal, RETRY_S)
            try:
                self._bound.take(size, self._durable)
            except OverloadedError:
                self._read_totals()  # dropping dead letters frees space
                self._bound.take(size, self._durable)

    def _read_totals(self) -> None:
        """Read the totals that another process may have changed; the caller holds ``_changed``."""
        self._durable = self._reading.totals()

    def _give_room(self, size: int) -> None:
        """Release reserved space, because the record is stored now, or could not be stored."""
        with self._changed:
            self._bound.give(size)

    # The following runs in the committing thread.

    def _drop_free_pages(self) -> bool:
        return drop_free_pages(self._writing)

    def after_begin(self) -> None:
        """Read the totals that another process may have changed."""
        self._records.load_totals()

    def before_commit(self) -> None:
        """Write the totals with the records they count."""
        self._records.save_totals()

    def after_commit(self) -> None:
        """Publish the durable changes to readers and waiting threads."""
        with self._changed:
            self._durable = replace(self._records.totals)
            self._changed.notify_all()
        self._show()

    def after_rollback(self, error: Exception) -> None:
        """Restore the state of the last commit; on most errors, refuse all further requests.

        Only a lack of disk space or file descriptors is temporary. After a failed fsync a later
        fsync may falsely succeed, so nothing may be acknowledged any more.
        """
        self._records.totals = replace(self._durable)
        get_logger("spool").error("the spool could not be written", error=str(error))
        if is_damage(error):
            self._fail(f"is damaged, which the next start mends: {error}")
        elif not is_passing(error):
            self._fail(f"could not be written, so requests can no longer be acknowledged: {error}")

    def _fail(self, why: str) -> None:
        self.refuse("The spool has failed: see the server's log.")
        self._error = self._error or SpoolFailedError(f"the spool {self._path} {why}")

    def _show(self) -> None:
        self._metrics.spool_records.set(self._durable.records)
        self._metrics.spool_bytes.set(self._durable.bytes)
        self._metrics.dead_letter_bytes.set(self._durable.dead_bytes)
