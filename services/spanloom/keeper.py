"""The keeper: the only module that changes the schema, sets retention and deletes rows.

In: the retention file and options, and requested deletions. Out: a store without expired rows. The
retention file has retention periods by project:

.. code-block:: toml

    [projects.travel]
    spans_days = 7
    trajectories_days = 365
"""

from __future__ import annotations

import time
import tomllib
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import MigrationUnderWayError, RetryableError, StartupError
from spanloom.core.model.upkeep import RetentionPlan, Terms
from spanloom.logs import get_logger
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanloom.core.ports.upkeep import Upkeep


MAX_DAYS = 36_500


def read_plan(path: Path, default: Terms) -> RetentionPlan:
    """Return the retention periods by project; if there is no file, ``default`` for all projects.

    Periods that a project's table does not set have the default. Raises ``StartupError`` with one
    line that names the file and the invalid key.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return RetentionPlan(default)
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError(f"cannot read the retention file {path}: {error}") from error
    try:
        tables = tomllib.loads(text)
        unknown = sorted(tables.keys() - {"projects"})
        if unknown:
            raise ValueError(f"{unknown[0]!r} is none of its tables: write [projects.NAME]")
        projects = {name: _terms(name, t, default) for name, t in tables["projects"].items()}
    except (ValueError, KeyError, AttributeError) as error:
        raise StartupError(f"the retention file {path} cannot be used: {error}") from error
    return RetentionPlan(default, projects)


def _terms(project: str, table: dict[str, object], default: Terms) -> Terms:
    known = {"spans_days": default.spans, "trajectories_days": default.trajectories}
    for name, days in table.items():
        if name not in known:
            raise ValueError(f"{name!r} of project {project!r} is none of {', '.join(known)}")
        if type(days) is not int or not 0 <= days <= MAX_DAYS:
            raise ValueError(f"{name} of project {project!r} is not a number of days: {days!r}")
        known[name] = days
    return Terms(known["spans_days"], known["trajectories_days"])


FIRST_S = 2.0
"""Seconds that a start waits for a server that may hang, as receivers listen only afterwards."""
LOOK_S = 2.0
"""Seconds between checks for new deletions; rows leave the disk at most this much later."""
AGAIN_S = 10.0
"""Seconds after a deletion until it is repeated, because batches in progress may add rows."""
SWEEP_S = 3600.0
"""Seconds between removals of late spans of deleted traces, which no reader sees meanwhile."""
DAY_S = 24 * 3600
DAY_NS = DAY_S * 10**9
log = get_logger("keeper")
_PASSING = (RetryableError, MigrationUnderWayError)
"""Errors that may pass; another process may finish a migration."""


class Retention(NamedTuple):
    """The operator's retention settings."""

    default: Terms
    """The retention periods of projects that the file does not name."""
    file: Path
    """The file with retention periods by project (``read_plan``); may be missing."""
    deletion_days: int
    """Days in which spans that arrive for a deleted trace are deleted too."""
    keeps_annotated: bool = True
    """Whether annotated trajectories are exempt from retention."""


class Keeper(RepeatingPart):
    """The only component that changes tables or retention, and removes rows."""

    name = "keeper"

    def __init__(
        self,
        upkeep: Upkeep,
        retention: Retention,
        clock_ns: Callable[[], int] = time.time_ns,
        steady_ns: Callable[[], int] = time.monotonic_ns,
        quiet_s: float = DAY_S,
        *,
        waits: bool = False,
        outage: Outage | None = None,
    ) -> None:
        """Maintain a store by the retention settings; clocks are in ns.

        ``clock_ns`` is the wall clock for retention (on a server, the server's clock);
        ``steady_ns`` is monotonic. An upgrade ends ``quiet_s`` seconds after the last write by a
        process of an older release. With ``waits`` the store may be unavailable at the start.
        Failures of the store are reported to ``outage``.
        """
        super().__init__(LOOK_S)
        self._waits = waits
        self._outage = outage or Outage()
        self._has_tried = Event()
        self._refused: Exception | None = None
        self.lacks = "the tables have not been looked at yet"
        """Why the tables are not up to date; empty once they are."""
        self._upkeep = upkeep
        self._retention = retention
        self._clock_ns = clock_ns
        self._steady_ns = steady_ns
        self._newest = ""
        self._sweep_ns = self._datasets_ns = steady_ns()
        self._plan = RetentionPlan(retention.default)
        self._marked_ns = 0
        self._expired_day = 0
        self._trouble = ""
        self._quiet_s = quiet_s
        self._is_upgrading = True

    def start(self) -> None:
        """Migrate the schema and apply retention, then continue in the thread.

        Every other component opens the store afterwards. Raises ``StartupError`` or another
        permanent error. With ``waits`` it returns after ``FIRST_S`` seconds, or as soon as the
        store proves to be unavailable, and the thread tries again.
        """
        if not self._waits:
            self._begin()
            super().start()
            return
        self._read_plan()
        super().start()
        self._has_tried.wait(FIRST_S)
        if self._refused is not None:
            raise self._refused

    @property
    def plan(self) -> RetentionPlan:
        """The retention periods as last applied."""
        return self._plan

    @property
    def failed(self) -> BaseException | None:
        """Why the keeper has failed; ``None`` while it runs."""
        return self._refused or super().failed

    def _begin(self) -> None:
        """Migrate the tables after the start, and apply retention."""
        if applied := self._upkeep.migrate():
            log.debug("schema files applied", files=list(applied))
        if broken := self._upkeep.broken_parts():
            log.error(
                "parts of tables are broken and set aside: see `spanloom doctor`", parts=broken
            )
        self._apply_plan(self._read_plan())
        self.lacks = ""

    def _repeat(self) -> None:
        while self.lacks and not self._stopping.is_set():
            try:
                self._begin()
            except _PASSING as error:
                self.lacks = f"the tables are not up to date yet: {error}"
                self._outage.note(self.name, error)
                self._has_tried.set()
                self._stopping.wait(LOOK_S)
            except Exception as error:
                if self._has_tried.is_set():
                    raise
                self._refused = error  # ``start``, which still waits, raises it
                self._thread.expect_end()
                return
            finally:
                self._has_tried.set()
        self._outage.over(self.name)
        super()._repeat()

    def run_once(self) -> None:
        """Remove expired and deleted rows, and end an upgrade, each if it is due."""
        self._finish_upgrade()
        now_ns = self._clock_ns()
        self._expire(now_ns)
        self._remove_deleted(now_ns)
        self._remove_datasets(now_ns)

    def _finish_upgrade(self) -> None:
        """End an upgrade once no process of an older release runs; upgrades begin at a start."""
        if not self._is_upgrading:
            return
        if applied := self._upkeep.finish_upgrade(self._quiet_s):
            log.info("the upgrade is finished: older releases are refused", files=list(applied))
        self._is_upgrading = self._upkeep.awaited() is not None

    def _remove_deleted(self, now_ns: int) -> None:
        """Remove deleted rows if due: right after a deletion, again soon after, then every hour."""
        newest = self._upkeep.newest_deletion()
        is_new = newest != self._newest
        if not is_new and self._steady_ns() < self._sweep_ns:
            return
        over_before_ns = now_ns - self._retention.deletion_days * DAY_NS
        if removed := self._upkeep.remove_deleted(over_before_ns):
            log.info("deleted rows removed", rows=removed)
        self._newest = newest
        self._sweep_ns = self._steady_ns() + int((AGAIN_S if is_new else SWEEP_S) * 1e9)

    def _remove_datasets(self, now_ns: int) -> None:
        """Remove datasets deleted at least ``AGAIN_S`` ago, because writes to them have ended."""
        if self._steady_ns() < self._datasets_ns:
            return
        if removed := self._upkeep.remove_datasets(now_ns // 1000 - int(AGAIN_S * 1e6)):
            log.info("deleted datasets removed", datasets=removed)
        self._datasets_ns = self._steady_ns() + int(AGAIN_S * 1e9)

    def _read_plan(self) -> RetentionPlan:
        plan = read_plan(self._retention.file, self._retention.default)
        return replace(plan, keeps_annotated=self._retention.keeps_annotated)

    def _apply_plan(self, plan: RetentionPlan) -> None:
        self._plan = plan
        self._keep_annotated()
        self._upkeep.set_retention(plan)
        self._expired_day = 0

    def _keep_annotated(self) -> None:
        """Exempt newly annotated trajectories from retention; called once an hour."""
        if self._plan.expires_trajectories:
            self._upkeep.keep_annotated(self._plan)
        self._marked_ns = self._steady_ns()

    def _expire(self, now_ns: int) -> None:
        """Remove expired rows, once a day and whenever the retention file has changed."""
        try:
            plan = self._read_plan()
        except StartupError as error:  # an error in the file must not stop a running service
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
        with self._outage.watched(self.name, _PASSING):
            self.run_once()
