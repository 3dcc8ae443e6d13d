"""Lists of steps: run by run in the order of lists of runs, or ordered by a value of steps."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.ports.steps import ANY_STEP
from spanloom.core.query.lists import Cursor
from spanloom.storage.engine.failures import bounded
from spanloom.storage.engine.parameters import Condition, both, within
from spanloom.storage.runs.current import Shown, key_of, read_current
from spanloom.storage.runs.lists import condition_on_runs, find_lines
from spanloom.storage.runs.step_rows import condition_on_steps, read_steps
from spanloom.storage.runs.top_steps import TopSteps
from spanloom.storage.where.comparisons import count_steps
from spanloom.storage.where.orders import run_by_run
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.steps import ListedStep, StepCursor, StepSelection
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

FIRST_RUNS = 64
"""The number of runs of the first query; each later query reads four times as many.

Each run has at least one matching step.
"""
MOST_RUNS = 1_000
NARROW = "Project, TraceId, StartTimeUnixNano, Version"


class _Run(NamedTuple):
    """A run that has matching steps."""

    key: TraceKey
    cursor: Cursor
    version: tuple[object, ...]
    """The values that identify the run's row in the list."""
    steps: int
    """The number of the run's matching steps."""


class ClickHouseSteps:
    """Implements ``StepReader`` with the query connection to ClickHouse."""

    def __init__(self, asker: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._asker = asker

    def list(
        self,
        reach: Reach,
        where: tree.Condition | None,
        limit: int,
        after: StepCursor | None = None,
        asked: StepSelection = ANY_STEP,
    ) -> Sequence[ListedStep]:
        """See ``StepReader.list``."""
        reading = _StepsByRun if asked.is_by_run else TopSteps
        with bounded():
            return reading(self._asker, reach, where, asked).read(limit, after)


class _StepsByRun:
    """Reads one page of steps: first the runs that have matching steps, then their steps."""

    def __init__(
        self, asker: Connection, reach: Reach, where: tree.Condition | None, asked: StepSelection
    ) -> None:
        self._asker, self._reach, self._where = asker, reach, where
        self._runs = asked.runs()
        self._wanted = condition_on_steps(asker, reach, asked)
        counted = count_steps(self._wanted.text)
        columns = Condition(f"{NARROW}, {counted} AS Found", self._wanted.values)
        self._shown = Shown(columns, _run_of)

    def read(self, limit: int, after: StepCursor | None) -> list[ListedStep]:
        """Return the next steps: first the rest of the last run, then the steps of other runs."""
        found = self._rest_of_run(limit, after)
        cursor = after and Cursor(after.start_ns, after.trace_id, after.project, after.rank)
        most = FIRST_RUNS
        while len(found) < limit:
            runs = find_lines(
                self._asker, self._reach, self._where, most, cursor, self._runs, self._shown
            )
            found += self._steps(_enough(runs, limit - len(found)), limit - len(found))
            if len(runs) < most:
                break
            cursor, most = runs[-1].cursor, min(4 * most, MOST_RUNS)
        return found

    def _rest_of_run(self, limit: int, after: StepCursor | None) -> list[ListedStep]:
        """Return the steps after a position in the same run, if the run still matches."""
        if after is None:
            return []
        tables = SideTables(self._asker, self._reach)
        wanted = both(within(self._reach), condition_on_runs(self._where, self._runs, tables))
        key = TraceKey(after.project, after.trace_id)
        runs = read_current(self._asker, wanted, [key], self._shown)
        return self._steps(runs, limit, after.position)

    def _steps(self, runs: Sequence[_Run], most: int, position: int = -1) -> list[ListedStep]:
        if not runs:
            return []
        later = Condition("StepPlace > {position:Int64} + 1", {"position": position})
        steps, order = both(later, self._wanted), run_by_run(self._runs.order)
        return read_steps(self._asker, (run.version for run in runs), steps, order, most)


def _enough(runs: Sequence[_Run], most: int) -> Sequence[_Run]:
    """Return the first runs that together have ``most`` steps, or all runs."""
    sums = accumulate((run.steps for run in runs), initial=0)
    return [run for run, before in zip(runs, sums, strict=False) if before < most]


def _run_of(row: Row) -> _Run:
    place = row.Project, row.StartTimeUnixNano, row.TraceId
    cursor = Cursor(row.StartTimeUnixNano, row.TraceId, row.Project)
    return _Run(key_of(row), cursor, (*place, row.Seq, row.Version), row.Found)
