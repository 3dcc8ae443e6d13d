"""Keeps one store: its tables, how long they hold rows, and what has to go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from spanloom.core.ports.upkeep import Upkeep

log = get_logger("keeper")


class Keeper:
    """The only part that changes tables or retention."""

    name = "keeper"
    failed: BaseException | None = None

    def __init__(self, upkeep: Upkeep, retention_days: int) -> None:
        """Take the store's upkeep, and the days after which rows are removed (0: never)."""
        self._upkeep = upkeep
        self._retention_days = retention_days

    def start(self) -> None:
        """Bring tables and retention up to date; every other part opens the store after this.

        Raises ``StartupError`` with the one line to print.
        """
        for name in self._upkeep.migrate():
            log.info("schema file applied", file=name)
        self._upkeep.set_retention(self._retention_days)

    def stop(self, grace_s: float) -> None:
        """End; nothing is under way between two statements."""
