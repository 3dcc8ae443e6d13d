"""The keeper's side of the store: tables, retention, deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, RetryableError
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.upkeep.engine_version import refuse_old_engine
from spanloom.storage.upkeep.layout import Layout
from spanloom.storage.upkeep.removal import keep_annotated, newest_deletion, remove_deleted
from spanloom.storage.upkeep.retention import remove_expired, set_retention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.retention import RetentionPlan
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.upkeep.lock import MigrationLock, NoLock


class ClickHouseUpkeep:
    """``Upkeep`` over a lane of its own."""

    def __init__(self, lane: Lane, lock: MigrationLock | NoLock) -> None:
        """Take over the lane; the lock keeps migrations of other processes apart."""
        self._lane = lane
        self._lock = lock
        self._layout = Layout(lane)

    def migrate(self) -> Sequence[str]:
        """See ``Upkeep.migrate``."""
        refuse_old_engine(self._lane)
        with self._lock.held() as renew:
            applied = migrate(self._lane, renew)
            self.lay_out()  # so that of a store with little in it nobody has to wait
        return applied

    def lay_out(self) -> int:
        """See ``Upkeep.lay_out``."""
        return self._layout.go_on()

    def broken_parts(self) -> int:
        """See ``Upkeep.broken_parts``; an account that may not see them knows of none."""
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
