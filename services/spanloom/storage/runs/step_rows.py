"""Steps as rows: first the runs that have matching steps, as in lists, then their steps."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import StepType
from spanloom.core.ports.steps import ANY_STEP, ListedStep
from spanloom.core.query.lists import Cursor
from spanloom.core.query.where.fields import Subject
from spanloom.core.records.declared import Read
from spanloom.core.records.step import STEP, StepRow
from spanloom.storage.engine.failures import bounded
from spanloom.storage.engine.parameters import Condition, both, within
from spanloom.storage.engine.statements import query
from spanloom.storage.runs.current import Shown, key_of, read_current
from spanloom.storage.runs.lists import asked_for, find_lines
from spanloom.storage.where.columns import joined_items
from spanloom.storage.where.comparisons import count_steps
from spanloom.storage.where.compile import Compiler
from spanloom.storage.where.side_tables import Beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.steps import StepCursor, StepsAsked
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row

FIRST_RUNS = 64
"""Runs read first; each has at least one step, most have more. Then four times as many."""
MOST_RUNS = 1_000
NARROW = "Project, TraceId, StartTimeUnixNano, Version"
_READ = {field.name: read.sql for field in STEP.fields if (read := field.find(Read))}
_FIELDS = tuple(_READ)
_COLUMNS = ", ".join(f"{sql} AS {name}" for name, sql in _READ.items())
_OPTIONAL_TEXTS = [f.name for f in STEP.fields if f.is_optional and f.kind is str]
_TYPES = {one.value: one for one in StepType}


class _Run(NamedTuple):
    """A run that has matching steps."""

    key: TraceKey
    cursor: Cursor
    version: tuple[object, ...]
    """What identifies its row in the list."""
    steps: int
    """How many matching steps it has."""


class ClickHouseSteps:
    """Step rows over the query lane."""

    def __init__(self, asker: Lane) -> None:
        """Use the lane, which the caller owns and closes."""
        self._asker = asker

    def list(
        self,
        reach: Reach,
        where: tree.Condition | None,
        limit: int,
        after: StepCursor | None = None,
        asked: StepsAsked = ANY_STEP,
    ) -> Sequence[ListedStep]:
        """See ``StepReader.list``."""
        with bounded():
            return _Reading(self._asker, reach, where, asked).read(limit, after)


class _Reading:
    """The reading of one page of steps."""

    def __init__(
        self, asker: Lane, reach: Reach, where: tree.Condition | None, asked: StepsAsked
    ) -> None:
        self._asker, self._reach, self._where = asker, reach, where
        self._runs = asked.runs()
        self._wanted = _wanted(asker, reach, asked)
        counted = count_steps(self._wanted.text)
        columns = Condition(f"{NARROW}, {counted} AS Found", self._wanted.values)
        self._shown = Shown(columns, _run_of)

    def read(self, limit: int, after: StepCursor | None) -> list[ListedStep]:
        """Return the next steps: the remaining ones of the last run, then those of other runs."""
        found = self._rest_of_run(limit, after)
        behind = after and Cursor(after.start_ns, after.trace_id, after.project)
        most = FIRST_RUNS
        while len(found) < limit:
            runs = find_lines(
                self._asker, self._reach, self._where, most, behind, self._runs, self._shown
            )
            found += self._steps(_enough(runs, limit - len(found)), limit - len(found))
            if len(runs) < most:
                break
            behind, most = runs[-1].cursor, min(4 * most, MOST_RUNS)
        return found

    def _rest_of_run(self, limit: int, after: StepCursor | None) -> list[ListedStep]:
        """Return the steps after a position in its own run, if the run still matches."""
        if after is None:
            return []
        beside = Beside(self._asker, self._reach)
        wanted = both(within(self._reach), asked_for(self._where, self._runs, beside))
        key = TraceKey(after.project, after.trace_id)
        runs = read_current(self._asker, wanted, [key], self._shown)
        return self._steps(runs, limit, after.position)

    def _steps(self, runs: Sequence[_Run], most: int, behind: int = -1) -> list[ListedStep]:
        if not runs:
            return []
        rows = self._asker.rows(
            "step_rows",
            versions=[run.version for run in runs],
            columns=Condition(_COLUMNS, {}),
            items=Condition(joined_items(_named_items(self._wanted)), {}),
            steps=self._wanted,
            behind=behind,
            most=most,
        )
        return list(map(_step_of, rows))


def _named_items(wanted: Condition) -> str:
    """Return all parts of the query that may name items of steps."""
    return f"{query('step_rows')} {_COLUMNS} {wanted.text}"


def _wanted(asker: Lane, reach: Reach, asked: StepsAsked) -> Condition:
    """Return the condition on a step; its parameters are in one query with those on its run."""
    if asked.where is None:
        return Condition("true", {})
    compiler = Compiler(Beside(asker, reach), prefix="s")
    return Condition(compiler.to_sql(asked.where, Subject.STEP), compiler.literals.values)


def _enough(runs: Sequence[_Run], most: int) -> Sequence[_Run]:
    """Return the first runs that have ``most`` steps together, or all runs."""
    sums = accumulate((run.steps for run in runs), initial=0)
    return [run for run, before in zip(runs, sums, strict=False) if before < most]


def _run_of(row: Row) -> _Run:
    place = row.Project, row.StartTimeUnixNano, row.TraceId
    cursor = Cursor(row.StartTimeUnixNano, row.TraceId, row.Project)
    return _Run(key_of(row), cursor, (*place, row.Seq, row.Version), row.Found)


def _step_of(row: Row) -> ListedStep:
    """Return a row of ``step_rows.sql`` as a step."""
    values: dict[str, Any] = dict(zip(_FIELDS, row, strict=False))  # the others are for the order
    values["type"] = _TYPES[values["type"]]
    for name in _OPTIONAL_TEXTS:
        values[name] = values[name] or None
    return ListedStep(StepRow.trusted(values), row.StartTimeUnixNano)
