"""One migration at a time on a server: a table that exists while a process migrates.

ClickHouse has no advisory locks, but of two ``CREATE TABLE`` of one name exactly one succeeds. Its
rows record the holder and the end of its lease. The lock of a killed holder is released when its
lease ends, or when its process no longer exists on this machine.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from spanloom.core.errors import MigrationUnderWayError, StoreUnavailableError
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from spanloom.storage.engine.lane import Lane

LOCK = "schema_migration_lock"
LEASE_S = 60.0
"""The length of a lease; the holder renews it before every statement."""
WAIT_S = 120.0
"""How long a second migration waits for the first."""
POLL_S = 0.5


class NoLock:
    """For the embedded store: the lock of its data directory is enough."""

    def held(self) -> AbstractContextManager[Callable[[], None]]:
        """Return a context without a lock; its value is a function that does nothing."""
        return nullcontext(lambda: None)


class MigrationLock:
    """The table ``schema_migration_lock``, held between entering and leaving ``held()``."""

    def __init__(self, lane: Lane, clock: Callable[[], float] = time.time) -> None:
        """Take the keeper's lane and a clock in seconds since the epoch."""
        self._lane = lane
        self._clock = clock
        self._me = f"{socket.gethostname()}/{os.getpid()}"

    @contextmanager
    def held(self) -> Iterator[Callable[[], None]]:
        """Hold the lock within the context; yields a function that renews the lease.

        Raises ``MigrationUnderWayError`` if another migration does not end in ``WAIT_S`` seconds.
        """
        self._take()
        try:
            yield self._renew
        finally:
            self._lane.run(query("unlock_migrations"))

    def _take(self) -> None:
        until = self._clock() + WAIT_S
        while not self._try():
            holder, lease_ends = self._holder() or ("", until)  # killed before it wrote its row
            if self._clock() > lease_ends or _is_gone(holder):
                self._lane.run(query("unlock_migrations"))
            elif self._clock() > until:
                raise MigrationUnderWayError(
                    f"another migration of this store is under way in process {holder}; wait for "
                    "its end, or stop it and try again"
                )
            else:
                time.sleep(POLL_S)
        self._renew()

    def _try(self) -> bool:
        try:
            self._lane.run(query("lock_migrations"))
        except StoreUnavailableError:
            if any(self._lane.rows("table_definitions", tables=[LOCK])):
                return False
            raise
        return True

    def _renew(self) -> None:
        ends = int(self._clock() + LEASE_S)
        self._lane.run(query("renew_migrations"), holder=self._me, ends=ends)

    def _holder(self) -> tuple[str, float] | None:
        """Return the holder of the lock and the end of its lease; ``None`` without a row."""
        try:
            found = list(self._lane.rows("migration_holder"))
        except StoreUnavailableError:  # it was just released
            found = []
        return (str(found[0][0]), float(found[0][1])) if found else None


def _is_gone(holder: str) -> bool:
    """Return whether the holder ran on this machine and its process has ended."""
    host, _, pid = holder.rpartition("/")
    if not host or host != socket.gethostname():
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return True
    except PermissionError:
        return False
    return False
