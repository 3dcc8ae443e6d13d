"""Examines a host of a server: whether it has this store, and can do the work of this process."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, RetryableError, SchemaNotReadyError, StartupError
from spanloom.storage.engine.hosts import EMPTY
from spanloom.storage.engine.lane import Lane
from spanloom.storage.engine.migrate import check_schema, listed_migrations

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.hosts import Kept

OLDEST = (26, 2)
"""The first with the text index of ``step_texts`` (``schema/0001_baseline/09_texts.sql``)."""
LEAST_FREE_BYTES = 1 << 30
"""A host whose disks all have less left is not used where there is another."""
_FACTS = "store_facts"


class OldEngineError(StartupError):
    """The engine is of a version that cannot have our tables."""


class Examination:
    """Remembers the store that it saw first: another one would have only a part of the runs."""

    def __init__(self, *, takes_any_schema: bool = False) -> None:
        """Know no store yet; ``takes_any_schema`` is for who only looks, as ``spanloom doctor``."""
        self.may_upgrade = False
        """Whether this process makes the tables: then a store of an older release will do."""
        self.oldest: int | None = None
        """See ``check_schema``."""
        self._takes_any_schema = takes_any_schema
        self._id = ""
        self._kept: Kept | None = None

    def keep_id(self, kept: Kept) -> None:
        """Know the store that an earlier process of this data directory saw first."""
        self._kept = kept
        known = kept.read()
        self._id = self._id or (known if isinstance(known, str) else "")

    def __call__(self, client: Client) -> str:
        """Return why the host cannot be used, after its name; empty if it can."""
        try:
            return self._examine(Lane(client))
        except (PermanentError, RetryableError) as error:
            return f"cannot be used: {error}"

    def _examine(self, lane: Lane) -> str:
        [(version, _)] = lane.rows("engine_state")
        if numbers_of(version) < OLDEST:
            return f"is of version {version}, and {'.'.join(map(str, OLDEST))} is needed"
        if not listed_migrations(lane):
            return EMPTY
        if reason := self._recognise(lane):
            return reason
        if not self._takes_any_schema:
            self._check_schema(lane)
        return _disk(lane)

    def _check_schema(self, lane: Lane) -> None:
        try:
            check_schema(lane, "spanloom migrate", self.oldest)
        except SchemaNotReadyError:
            if not self.may_upgrade:
                raise

    def _recognise(self, lane: Lane) -> str:
        """Compare the id of the store with the known one; a store from before 0004 has none."""
        if not any(lane.rows("table_definitions", tables=[_FACTS])):
            return f"has another store than {self._id}" if self._id else ""
        found = [str(row.Value) for row in lane.rows("store_id")]
        if found and self._id and found[0] != self._id:
            return f"has another store: its id is {found[0]}, not {self._id}"
        if found and not self._id:
            self._id = found[0]
            if self._kept:
                self._kept.write(self._id)
        return ""


def _disk(lane: Lane) -> str:
    """Return whether the disks are full, as far as the account may see them."""
    try:
        free = [int(row.free) for row in lane.rows("free_space")]
    except (PermanentError, RetryableError):
        return ""
    if free and max(free) < LEAST_FREE_BYTES:
        return f"has {max(free) >> 20} MiB left on its disks"
    return ""


def refuse_old_engine(lane: Lane) -> None:
    """Raise ``OldEngineError`` with the version needed if the engine is too old for our tables."""
    [(version, _)] = lane.rows("engine_state")
    if numbers_of(version) < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise OldEngineError(
            f"the ClickHouse server is of version {version}, and the tables need {needed} or "
            "newer, for their text index: upgrade the server first; nothing was changed"
        )


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (26, 2, 1) of ``26.2.1.altinity``."""
    return tuple(map(int, takewhile(str.isdecimal, version.split("."))))
