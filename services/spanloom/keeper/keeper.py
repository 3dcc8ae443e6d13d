"""Keeps one store: its tables, how long they hold rows, and what has to go."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import RetryableError, StartupError
from spanloom.core.model.retention import RetentionPlan
from spanloom.keeper.retention_file import read_plan
from spanloom.telemetry import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanloom.core.model.retention import Terms
    from spanloom.core.ports.upkeep import Upkeep

LOOK_S = 2.0
"""How often the store is asked for a new deletion: what is deleted leaves the disk that soon."""
AGAIN_S = 10.0
"""When a deletion is followed by a second look, for batches that were under way."""
SWEEP_S = 3600.0
"""How often what arrived of deleted traces is removed; no reader sees it before that."""
DAY_NS = 24 * 3600 * 10**9
log = get_logger("keeper")


class Retention(NamedTuple):
    """How long things stay."""

    default: Terms
    """Of every project that the file does not name."""
    file: Path
    """Gives projects terms of their own (``retention_file.py``); need not exist."""
    deletion_days: int
    """How long what arrives of a deleted trace is deleted too."""
    keeps_annotated: bool = True
    """Whether annotated trajectories stay."""


class Keeper(RepeatingPart):
    """The only part that changes tables or retention, and removes rows."""

    name = "keeper"

    def __init__(
        self,
        upkeep: Upkeep,
        retention: Retention,
        clock_ns: Callable[[], int] = time.time_ns,
        steady_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Take the store's upkeep, how long things stay, and clocks in ns.

        Days are counted by the first, which may be set; the second only goes forward.
        """
        super().__init__(LOOK_S)
        self._upkeep = upkeep
        self._retention = retention
        self._clock_ns = clock_ns
        self._steady_ns = steady_ns
        self._newest = ""
        self._sweep_ns = steady_ns()
        self._plan = RetentionPlan(retention.default)
        self._marked_ns = 0
        self._expired_day = 0
        self._trouble = ""

    def start(self) -> None:
        """Bring tables and retention up to date, then go on in a thread.

        Every other part opens the store after this. Raises ``StartupError``.
        """
        if applied := self._upkeep.migrate():
            log.debug("schema files applied", files=list(applied))
        if broken := self._upkeep.broken_parts():
            log.error(
                "parts of tables are broken and set aside: see `spanloom doctor`", parts=broken
            )
        self._apply_plan(self._read_plan())
        super().start()

    def run_once(self) -> None:
        """Do what is due: what has expired, and what was deleted."""
        now_ns = self._clock_ns()
        self._expire(now_ns)
        self._remove_deleted(now_ns)

    def _remove_deleted(self, now_ns: int) -> None:
        """Remove what was deleted, if that is due: at once, soon again, then every hour."""
        newest = self._upkeep.newest_deletion()
        is_new = newest != self._newest
        if not is_new and self._steady_ns() < self._sweep_ns:
            return
        over_before_ns = now_ns - self._retention.deletion_days * DAY_NS
        if removed := self._upkeep.remove_deleted(over_before_ns):
            log.info("deleted rows removed", rows=removed)
        self._newest = newest
        self._sweep_ns = self._steady_ns() + int((AGAIN_S if is_new else SWEEP_S) * 1e9)

    def _read_plan(self) -> RetentionPlan:
        plan = read_plan(self._retention.file, self._retention.default)
        return replace(plan, keeps_annotated=self._retention.keeps_annotated)

    def _apply_plan(self, plan: RetentionPlan) -> None:
        self._plan = plan
        self._keep_annotated()
        self._upkeep.set_retention(plan)
        self._expired_day = 0

    def _keep_annotated(self) -> None:
        """Let retention pass by what was annotated since; hours lie between, terms are days."""
        if self._plan.expires_trajectories:
            self._upkeep.keep_annotated(self._plan)
        self._marked_ns = self._steady_ns()

    def _expire(self, now_ns: int) -> None:
        """Remove what has expired, once a day and when the file has changed."""
        try:
            plan = self._read_plan()
        except StartupError as error:  # a slip in a file must not stop what runs
            if str(error) != self._trouble:
                log.error("the terms stay as they were", error=str(error))
            self._trouble = str(error)
        else:
            self._trouble = ""
            if plan != self._plan:
                self._apply_plan(plan)
        if self._steady_ns() - self._marked_ns > SWEEP_S * 1e9:
            self._keep_annotated()
        if (day := now_ns // DAY_NS) == self._expired_day:
            return
        if removed := self._upkeep.remove_expired(self._plan, now_ns // 10**9):
            log.info("expired rows removed", rows=removed)
        self._expired_day = day

    def _round(self) -> None:
        try:
            self.run_once()
        except RetryableError as error:
            log.warning("the store does not answer; trying again", error=str(error))
