"""The keeper's port of the in-memory store, which has no tables."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.upkeep import Older, RetentionPlan


class MemoryUpkeep:
    """An ``Upkeep`` that records its calls."""

    def __init__(self) -> None:
        self.migrations = 0
        self.broken = 0
        self.plans: list[RetentionPlan] = []
        self.kept: list[bool] = []
        self.expirations: list[int] = []
        self.newest = ""
        self.removals: list[int] = []
        self.datasets: list[int] = []
        self.errors: list[Exception] = []
        self.older: Older | None = None
        self.quiet: list[float] = []

    def migrate(self) -> Sequence[str]:
        """See ``Upkeep.migrate``."""
        self.migrations += 1
        return []

    def finish_upgrade(self, quiet_s: float) -> Sequence[str]:
        """See ``Upkeep.finish_upgrade``."""
        self.quiet.append(quiet_s)
        if self.older is None or self.older.age_s < quiet_s:
            return ()
        self.older = None
        return ("0002_later",)

    def awaited(self) -> Older | None:
        """See ``Upkeep.awaited``."""
        return self.older

    def now_ns(self) -> int:
        """See ``Upkeep.now_ns``."""
        return time.time_ns()

    def broken_parts(self) -> int:
        """See ``Upkeep.broken_parts``."""
        return self.broken

    def set_retention(self, plan: RetentionPlan) -> None:
        """See ``Upkeep.set_retention``."""
        self.plans.append(plan)

    def keep_annotated(self, plan: RetentionPlan) -> int:
        """See ``Upkeep.keep_annotated``."""
        self.kept.append(plan.keeps_annotated)
        return 0

    def remove_expired(self, plan: RetentionPlan, now_s: int) -> int:
        """See ``Upkeep.remove_expired``."""
        assert self.plans[-1:] in ([], [plan])
        self.expirations.append(now_s)
        return 0

    def newest_deletion(self) -> str:
        """See ``Upkeep.newest_deletion``."""
        if self.errors:
            raise self.errors.pop()
        return self.newest

    def remove_deleted(self, over_before_ns: int) -> int:
        """See ``Upkeep.remove_deleted``."""
        self.removals.append(over_before_ns)
        return 0

    def remove_datasets(self, before_us: int) -> int:
        """See ``Upkeep.remove_datasets``."""
        self.datasets.append(before_us)
        return 0

    def close(self) -> None:
        """See ``Upkeep.close``."""
