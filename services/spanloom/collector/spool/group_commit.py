"""One thread that commits: whatever has gathered while it was busy becomes one transaction.

An fsync costs the same for one request as for a hundred, so nobody waits for company and
everybody gets it under load.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition
from typing import Protocol, TypeVar

from spanloom.core.errors import OverloadedError
from spanloom.threads import WatchedThread

T = TypeVar("T")
_Job = tuple[Callable[[], object], "Future[object]"]

MAX_GROUP = 512
"""Jobs of one transaction: enough to share an fsync, few enough to answer soon."""


class Ledger(Protocol):
    """What has to agree with the file: told how each transaction ends."""

    def after_begin(self) -> None:
        """Read what the transaction builds on; may raise ``sqlite3.Error``."""

    def before_commit(self) -> None:
        """Write what belongs into the transaction; may raise ``sqlite3.Error``."""

    def after_commit(self) -> None:
        """Take the transaction's changes as durable."""

    def after_rollback(self, error: Exception) -> None:
        """Forget the transaction's changes."""


class GroupCommitter:
    """Runs jobs on one connection, in order, and ends each future after the commit.

    A transaction that fails fails all of its jobs with ``OverloadedError``: nothing of it is
    in the file, so the clients may send it again.
    """

    def __init__(self, connection: sqlite3.Connection, ledger: Ledger) -> None:
        """Start the thread; the connection is its own until ``close`` returns."""
        self._connection = connection
        self._ledger = ledger
        self._jobs: list[_Job] = []
        self._wake = Condition()
        self._closing = False
        self._thread = WatchedThread("spool-committer", self._run)
        self._thread.start()

    @property
    def failed(self) -> BaseException | None:
        """Why the thread died, if it did; nothing is committed from then on."""
        return self._thread.failed

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have a job run in the next transaction."""
        future: Future[T] = Future()
        with self._wake:
            if self._closing:
                raise OverloadedError("The spool is closed.")
            self._jobs.append((work, future))  # type: ignore[arg-type]  # Future is invariant
            self._wake.notify()
        return future

    def close(self) -> None:
        """Commit what was submitted, then end the thread."""
        with self._wake:
            self._closing = True
            self._thread.expect_end()
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        jobs: list[_Job] = []
        try:
            while jobs := self._take():
                self._commit(jobs)
        finally:
            self._abandon(jobs)

    def _abandon(self, jobs: list[_Job]) -> None:
        """Refuse what nobody will commit any more: without this its callers wait for ever."""
        with self._wake:
            self._closing = True
            jobs, self._jobs = [*jobs, *self._jobs], []
        for _, future in jobs:
            if not future.done():
                future.set_exception(OverloadedError("The spool has failed.", 5.0))

    def _take(self) -> list[_Job]:
        """Wait for jobs; none means that the committer is closed."""
        with self._wake:
            self._wake.wait_for(lambda: self._jobs or self._closing)
            jobs, self._jobs = self._jobs[:MAX_GROUP], self._jobs[MAX_GROUP:]
            return jobs

    def _commit(self, jobs: list[_Job]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._ledger.after_begin()
            results = [work() for work, _ in jobs]
            self._ledger.before_commit()
            self._connection.execute("COMMIT")
        except Exception as error:  # whatever it is, nobody may wait for ever
            self._roll_back(jobs, error)
            return
        self._ledger.after_commit()
        for (_, future), result in zip(jobs, results, strict=True):
            future.set_result(result)

    def _roll_back(self, jobs: list[_Job], error: Exception) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as second:
            error = second
        try:
            self._ledger.after_rollback(error)
        finally:  # whatever else goes wrong, nobody may wait for ever
            for _, future in jobs:
                failure = OverloadedError(f"The spool could not be written: {error}.", 5.0)
                failure.__cause__ = error
                future.set_exception(failure)
