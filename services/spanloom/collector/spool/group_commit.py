"""Commits in one thread: all jobs submitted during a commit become the next transaction.

An fsync costs the same for one request as for a hundred. A single request is committed at once;
under load many requests share one fsync.
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
"""Maximum number of jobs in one transaction: many share an fsync, and none waits for long."""


class Ledger(Protocol):
    """State in memory that must agree with the file, updated at each stage of a transaction."""

    def after_begin(self) -> None:
        """Load the state as it is before the transaction; may raise ``sqlite3.Error``."""

    def before_commit(self) -> None:
        """Write the state as part of the transaction; may raise ``sqlite3.Error``."""

    def after_commit(self) -> None:
        """Treat the transaction's changes as durable."""

    def after_rollback(self, error: Exception) -> None:
        """Forget the transaction's changes."""


class GroupCommitter:
    """Runs jobs on one connection, in order, and completes their futures after the commit.

    If a transaction fails, all its jobs fail with ``OverloadedError``; none of their changes are in
    the file, so the clients may send the requests again.
    """

    def __init__(self, connection: sqlite3.Connection, ledger: Ledger) -> None:
        """Start the thread, which owns the connection until ``close`` returns."""
        self._connection = connection
        self._ledger = ledger
        self._jobs: list[_Job] = []
        self._wake = Condition()
        self._closing = False
        self._thread = WatchedThread("spool-committer", self._run)
        self._thread.start()

    @property
    def failed(self) -> BaseException | None:
        """The error that ended the thread, if any; nothing is committed after that."""
        return self._thread.failed

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run a job in the next transaction."""
        future: Future[T] = Future()
        with self._wake:
            if self._closing:
                raise OverloadedError("The spool is closed.")
            self._jobs.append((work, future))  # type: ignore[arg-type]  # Future is invariant
            self._wake.notify()
        return future

    def close(self) -> None:
        """Commit all submitted jobs, then end the thread."""
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
        """Fail jobs that will never be committed; otherwise their callers would wait forever."""
        with self._wake:
            self._closing = True
            jobs, self._jobs = [*jobs, *self._jobs], []
        for _, future in jobs:
            if not future.done():
                future.set_exception(OverloadedError("The spool has failed.", 5.0))

    def _take(self) -> list[_Job]:
        """Wait for jobs and return them; empty if the committer is closed."""
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
        except Exception as error:  # after any error, no caller may wait forever
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
        finally:  # after any other error, no caller may wait forever
            for _, future in jobs:
                failure = OverloadedError(f"The spool could not be written: {error}.", 5.0)
                failure.__cause__ = error
                future.set_exception(failure)
