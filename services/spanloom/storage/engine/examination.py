"""Examines whether a host of a server has this store, and everything that this process needs."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, RetryableError, SchemaNotReadyError, StartupError
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.hosts.refusals import EMPTY
from spanloom.storage.engine.migrate import check_schema, listed_migrations

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.hosts.choice import Kept

OLDEST = (26, 2)
"""The first engine version with the text index of ``step_texts``.

See ``0001_baseline/09_texts.sql``.
"""
LEAST_FREE_BYTES = 1 << 30
"""Free bytes that a host needs on one of its disks to be used, if there is another host."""
_FACTS = "store_facts"


class OldEngineError(StartupError):
    """Raised if the engine's version does not support our tables."""


class Examination:
    """Decides whether a host can be used; each must have the store of the first usable host."""

    def __init__(self, *, takes_any_schema: bool = False) -> None:
        """Start without a known store; ``takes_any_schema`` is for readers such as ``doctor``."""
        self.may_upgrade = False
        """Whether this process makes the tables, so that it accepts a store of an older release."""
        self.oldest: int | None = None
        """The last migration that this process requires; ``None`` if it needs all."""
        self._takes_any_schema = takes_any_schema
        self._id = ""
        self._kept: Kept | None = None

    def keep_id(self, kept: Kept) -> None:
        """Accept only the store whose id is in ``kept``; if empty, write the first store's id."""
        self._kept = kept
        known = kept.read()
        self._id = self._id or (known if isinstance(known, str) else "")

    def __call__(self, client: Client) -> str:
        """Return why the host cannot be used, phrased to follow its name; empty if it can."""
        try:
            return self._examine(Connection(client))
        except (PermanentError, RetryableError) as error:
            return f"cannot be used: {error}"

    def _examine(self, connection: Connection) -> str:
        [(version, _)] = connection.rows("engine_state")
        if numbers_of(version) < OLDEST:
            return f"is of version {version}, and {'.'.join(map(str, OLDEST))} is needed"
        if not listed_migrations(connection):
            return EMPTY
        if reason := self._recognise(connection):
            return reason
        if not self._takes_any_schema:
            self._check_schema(connection)
        return _disk(connection)

    def _check_schema(self, connection: Connection) -> None:
        try:
            check_schema(connection, "spanloom migrate", self.oldest)
        except SchemaNotReadyError:
            if not self.may_upgrade:
                raise

    def _recognise(self, connection: Connection) -> str:
        """Return a reason if the host has another store than the known one; otherwise empty text.

        Stores are compared by their ids, which stores before migration 0004 lack.
        """
        if not any(connection.rows("table_definitions", tables=[_FACTS])):
            return f"has another store than {self._id}" if self._id else ""
        found = [str(row.Value) for row in connection.rows("store_id")]
        if found and self._id and found[0] != self._id:
            return f"has another store: its id is {found[0]}, not {self._id}"
        if found and not self._id:
            self._id = found[0]
            if self._kept:
                self._kept.write(self._id)
        return ""


def _disk(connection: Connection) -> str:
    """Return a reason if the disks are nearly full; empty if not, or if that cannot be read."""
    try:
        free = [int(row.free) for row in connection.rows("free_space")]
    except (PermanentError, RetryableError):
        return ""
    if free and max(free) < LEAST_FREE_BYTES:
        return f"has {max(free) >> 20} MiB left on its disks"
    return ""


def refuse_old_engine(connection: Connection) -> None:
    """Raise ``OldEngineError``, with the required version, if the engine is too old."""
    [(version, _)] = connection.rows("engine_state")
    if numbers_of(version) < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise OldEngineError(
            f"the ClickHouse server is of version {version}, and the tables need {needed} or "
            "newer, for their text index: upgrade the server first; nothing was changed"
        )


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (26, 2, 1) for ``26.2.1.altinity``."""
    return tuple(map(int, takewhile(str.isdecimal, version.split("."))))
