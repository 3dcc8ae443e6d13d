"""Allows one migration at a time on a server, by a table that a process creates first.

ClickHouse has no advisory locks, but of two ``CREATE TABLE`` with the same name exactly one
succeeds. The names have increasing numbers; the table with the highest number is the lock, and
stays until the next lock is taken. No clocks are compared. A holder runs its statements in a
session of the server, which ends ``SESSION_S`` after the last statement; then the server refuses
statements of a process that was suspended for longer. Another process takes over once it has seen
no sign of life for longer than that: no new row in the lock, and no running statement of the
holder. So no two processes migrate at the same time.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from spanloom.core.errors import MigrationUnderWayError, PermanentError, StoreUnavailableError
from spanloom.logs import get_logger
from spanloom.storage.engine.parameters import quoted
from spanloom.storage.engine.statements import comment_of, query
from spanloom.storage.engine.upgrading import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from spanloom.storage.engine.connection import Connection

LOCK = "schema_migration_lock_"
"""Prefix of the table's name, before its number."""
SESSION_S = 60
"""Seconds that a holder may pause between two statements before the server ends its session."""
SILENCE_S = 90.0
"""Seconds without a sign of life before another process takes over; sessions may end late."""
WAIT_S = 120.0
"""Seconds that a second migration waits for the first before it reports an error."""
POLL_S = 0.5
MOST_PER_LOOK_S = 2.0
"""The most seconds that one check adds to the silence, because the observer may be suspended."""
SESSION_LOST = frozenset({372, 373})
"""Error codes: the session has ended, or an earlier statement is still running in it."""
log = get_logger("keeper")


class LockLostError(StoreUnavailableError):
    """The process was suspended for longer than its session, so another may be migrating."""


class NoLock:
    """No lock, for the embedded store, whose data directory is already locked."""

    def held(self) -> AbstractContextManager[Callable[[], None]]:
        """Return a context without a lock; its value is a function that does nothing."""
        return nullcontext(lambda: None)


class Lock(NamedTuple):
    """The state of the newest lock."""

    number: int
    holder: str
    is_released: bool
    sign: int
    """A number that grows with each statement of the holder."""
    is_working: bool
    """Whether the server is running a statement of the holder."""


class MigrationLock:
    """Holds the migration lock, a table of the server, within the context ``held()``."""

    def __init__(self, connection: Connection) -> None:
        """Use the keeper's connection, in one thread."""
        self._connection = connection
        self._me = f"{socket.gethostname()}/{os.getpid()} {_place()} {uuid4().hex}"
        self._silence = Silence()

    @contextmanager
    def held(self) -> Iterator[Callable[[], None]]:
        """Hold the lock within the context; yield a function to call before each statement.

        Raises ``MigrationUnderWayError`` if another migration does not end within ``WAIT_S``
        seconds, and ``LockLostError`` if this process was suspended for too long in the context.
        """
        number = self._take()
        try:
            yield partial(self._renew, number)
        except StoreUnavailableError as error:
            if getattr(error.__cause__, "code", None) in SESSION_LOST:
                raise LockLostError("this process slept while it migrated the store") from error
            raise
        finally:
            self._release(number)

    def _take(self) -> int:
        until = time.monotonic() + WAIT_S
        while True:
            found = self._newest()
            if self._is_free(found) and not self._is_held_by_older():
                number = found.number + 1 if found else 1
                if self._make(number):
                    return number
            elif time.monotonic() > until:
                holder = found.holder.split(" ")[0] if found else "of an older release"
                raise MigrationUnderWayError(
                    f"another migration of this store is under way in process {holder}; wait for "
                    "its end, or stop it and try again"
                )
            time.sleep(POLL_S)

    def _is_free(self, found: Lock | None) -> bool:
        if found is None or found.is_released:
            return True
        is_silent = self._silence.has_lasted(found)
        has_ended = found.holder == self._me or _is_gone(found.holder)
        return not found.is_working and (has_ended or is_silent)

    def _is_held_by_older(self) -> bool:
        """Return whether release 0.1.0, whose lock is a lease with an end time, is migrating."""
        if not any(self._connection.rows("table_definitions", tables=[LOCK.rstrip("_")])):
            return False
        try:
            return any(self._connection.rows("held_by_older"))
        except StoreUnavailableError:  # it has just been released
            return False

    def _make(self, number: int) -> bool:
        """Start a session, and try to create the lock table of this number."""
        table = f"{LOCK}{number}"
        self._connection.begin_session(self._me, SESSION_S)
        try:
            lock = query("lock_migrations")
            self._connection.run(f"{lock}\nCOMMENT {quoted(self._me)}", table=table)
        except StoreUnavailableError:
            found = self._newest()
            if found is None or found.number < number:
                raise
            if found.number > number or found.holder != self._me:
                self._connection.end_session()
                return False
        names = [name for name, _ in self._names()]
        if names[0] != table:  # the process was suspended after the check
            self._connection.run(query("unlock_migrations"), table=table)
            self._connection.end_session()
            return False
        self._connection.run(query("renew_migrations"), table=table, is_released=False)
        for older in names[1:]:
            self._connection.run(query("unlock_migrations"), table=older)
        return True

    def _renew(self, number: int) -> None:
        """Insert a sign of life; raises ``LockLostError`` if another process has taken over."""
        found = self._newest()
        if found is None or found.number != number:
            raise LockLostError("another process migrates the store by now")
        table = f"{LOCK}{number}"
        self._connection.run(query("renew_migrations"), table=table, is_released=False)

    def _release(self, number: int) -> None:
        """Release the lock for others at once; if it was lost, the next holder keeps its lock."""
        try:
            self._connection.run(
                query("renew_migrations"), table=f"{LOCK}{number}", is_released=True
            )
        except StoreUnavailableError as error:
            log.warning("the migration lock was not given back; it ends", error=str(error))
        self._connection.end_session()

    def _newest(self) -> Lock | None:
        """Return the newest lock; ``None`` if there never was a lock."""
        if not (names := self._names()):
            return None
        (name, holder) = names[0]
        try:
            ((sign, is_released),) = self._connection.rows("migration_lock", table=name)
        except StoreUnavailableError:  # dropped in between, as a newer one exists
            if self._names()[:1] == [(name, holder)]:
                raise
            return self._newest()
        number = number_of(name.removeprefix(LOCK))
        return Lock(number, holder, bool(is_released), int(sign), self._is_working(holder))

    def _names(self) -> list[tuple[str, str]]:
        """Return the names and holders of the lock tables, the newest first."""
        return [(str(name), str(who)) for name, who in self._connection.rows("migration_locks")]

    def _is_working(self, holder: str) -> bool:
        if holder == self._me and self._connection.has_session:
            return False  # otherwise this query would be found
        try:
            return any(self._connection.rows("statements_of", who=comment_of(holder)))
        except (PermanentError, StoreUnavailableError):  # the account may lack the right
            return False


class Silence:
    """Measures for how long a lock's holder has shown no sign of life."""

    def __init__(self) -> None:
        """Start without a lock."""
        self._seen: tuple[int, int] | None = None
        self._lasted_s = 0.0
        self._looked_s = 0.0

    def has_lasted(self, found: Lock) -> bool:
        """Return whether the holder of the lock has been silent for longer than any session.

        One check adds at most ``MOST_PER_LOOK_S``, because the holder may have worked since the
        last check.
        """
        now_s = time.monotonic()
        if found.is_working or self._seen != (found.number, found.sign):
            self._seen, self._lasted_s = (found.number, found.sign), 0.0
        else:
            self._lasted_s += min(now_s - self._looked_s, MOST_PER_LOOK_S)
        self._looked_s = now_s
        return self._lasted_s > SILENCE_S


def _place() -> str:
    """Return a text that identifies this boot of the machine and our namespace of process ids.

    Process ids are comparable only if this text is equal. ``-`` if it cannot be determined.
    """
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
        return f"{boot}:{Path('/proc/self/ns/pid').stat().st_ino}"
    return "-"


def _is_gone(holder: str) -> bool:
    """Return whether the holder ran on this machine, in our namespace, and has ended."""
    name, place, _ = holder.split(" ")
    if place == "-" or place != _place():
        return False
    try:
        os.kill(int(name.rpartition("/")[2]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
