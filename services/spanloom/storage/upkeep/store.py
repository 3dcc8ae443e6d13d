"""``Upkeep`` in ClickHouse: schema, retention, and removal of deleted rows."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, RetryableError, StartupError
from spanloom.storage.engine.connect import connector_of, is_embedded
from spanloom.storage.engine.lane import UPKEEP_SETTINGS, Lane
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.upkeep.declared_columns import add_declared
from spanloom.storage.upkeep.lock import MigrationLock, NoLock
from spanloom.storage.upkeep.retention import (
    keep_annotated,
    newest_deletion,
    remove_deleted,
    remove_expired,
    set_retention,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.retention import RetentionPlan


OLDEST = (26, 2)
"""The first with the text index of ``step_texts`` (``schema/0001_baseline/09_texts.sql``)."""


def refuse_old_engine(lane: Lane) -> None:
    """Raise ``StartupError`` with the version needed if the engine is too old for our tables."""
    [(version, _)] = lane.rows("engine_state")
    if _numbers(version) < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise StartupError(
            f"the ClickHouse server is of version {version}, and the tables need {needed} or "
            "newer, for their text index: upgrade the server first; nothing was changed"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (26, 2, 1) of ``26.2.1.altinity``."""
    return tuple(map(int, takewhile(str.isdecimal, version.split("."))))


class ClickHouseUpkeep:
    """``Upkeep`` over a lane of its own."""

    def __init__(self, lane: Lane, lock: MigrationLock | NoLock) -> None:
        """Take over the lane; the lock keeps migrations of other processes apart."""
        self._lane = lane
        self._lock = lock

    def migrate(self) -> Sequence[str]:
        """See ``Upkeep.migrate``."""
        refuse_old_engine(self._lane)
        with self._lock.held() as renew:
            applied = migrate(self._lane, renew)
            return [*applied, *add_declared(self._lane, renew)]

    def broken_parts(self) -> int:
        """See ``Upkeep.broken_parts``; 0 for an account that may not read them."""
        try:
            ((count,),) = self._lane.rows("broken_parts")
        except (PermanentError, RetryableError):
            return 0
        return int(count)

    def set_retention(self, plan: RetentionPlan) -> None:
        """See ``Upkeep.set_retention``."""
        set_retention(self._lane, plan)

    def keep_annotated(self, plan: RetentionPlan) -> int:
        """See ``Upkeep.keep_annotated``."""
        return keep_annotated(self._lane, plan)

    def remove_expired(self, plan: RetentionPlan, now_s: int) -> int:
        """See ``Upkeep.remove_expired``."""
        return remove_expired(self._lane, plan, now_s)

    def newest_deletion(self) -> str:
        """See ``Upkeep.newest_deletion``."""
        return newest_deletion(self._lane)

    def remove_deleted(self, over_before_ns: int) -> int:
        """See ``Upkeep.remove_deleted``."""
        return remove_deleted(self._lane, over_before_ns)

    def close(self) -> None:
        """See ``Upkeep.close``."""
        self._lane.close()


def open_upkeep(url: str) -> ClickHouseUpkeep:
    """Open the store for the keeper, which alone may change its tables and its retention.

    Raises ``StartupError`` with one line if the URL is invalid or the store cannot be opened.
    """
    lane = Lane(connector_of(url)(), UPKEEP_SETTINGS)
    # The directory of an embedded store is locked already.
    lock = NoLock() if is_embedded(url) else MigrationLock(lane)
    return ClickHouseUpkeep(lane, lock)
