"""The keeper's side of a store in memory: there are no tables to make."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class MemoryUpkeep:
    """``Upkeep`` that remembers what it was told."""

    def __init__(self) -> None:
        self.retention_days = 0

    def migrate(self) -> Sequence[str]:
        """See ``Upkeep.migrate``."""
        return []

    def set_retention(self, days: int) -> None:
        """See ``Upkeep.set_retention``."""
        self.retention_days = days

    def close(self) -> None:
        """See ``Upkeep.close``."""
