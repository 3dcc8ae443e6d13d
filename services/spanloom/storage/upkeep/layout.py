"""Lays the steps of older releases out anew: rows of ``steps`` become arrays of the list.

Safe to interrupt: a run whose row says ``HasArrays`` is done, so the next call goes on with the
rest, and ``steps`` is removed only when none is left. No extractor works meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.statements import query
from spanloom.storage.runs.calls import CALL_COLUMNS, call_rows
from spanloom.storage.upkeep.old_steps import read_old_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row
    from spanloom.storage.upkeep.old_steps import OldRun

STEPS = "steps"
"""The table of the older releases."""
MOST_RUNS = 500
MOST_SPANS = 20_000
"""What is read at once: documents are in memory as a whole."""


class Layout:
    """How far the steps of one store have come into the list."""

    def __init__(self, lane: Lane) -> None:
        """Take the keeper's lane."""
        self._lane = lane
        self._after: tuple[str, int, str] = ("", 0, "")
        self._left: int | None = None

    def go_on(self) -> int:
        """Lay some runs out; return how many are left, 0 when all is done."""
        if not has_old_steps(self._lane):
            return 0
        if self._left is None:
            ((self._left,),) = self._lane.rows("count_unfilled")
        if not (runs := self._next()):
            self._lane.run(query("remove_steps"))
            return 0
        keys = [(run.Project, run.TraceId) for run in runs]
        self._fill(list(read_old_runs(self._lane, keys)))
        last = runs[-1]
        self._after = last.Project, last.StartTimeUnixNano, last.TraceId
        self._left = max(self._left - len(runs), 1)
        return self._left

    def _next(self) -> Sequence[Row]:
        project, start_ns, trace_id = self._after
        runs = self._lane.rows(
            "unfilled_runs",
            after_project=project,
            after_start_ns=start_ns,
            after_trace_id=trace_id,
            most=MOST_RUNS,
        )
        return list(_few_enough(runs))

    def _fill(self, runs: Sequence[OldRun]) -> None:
        """Store the calls first: a run that is in the list is not looked at again."""
        calls = (row for run in runs for row in call_rows(run.seq, run.version, run.calls))
        self._lane.insert("call_index", CALL_COLUMNS, calls)
        self._lane.insert_objects("trajectory_list", (run.in_list for run in runs))


def has_old_steps(lane: Lane) -> bool:
    """Return whether there is a table of steps that has to be laid out anew."""
    return any(lane.rows("table_definitions", tables=[STEPS]))


def _few_enough(runs: Iterable[Row]) -> Iterator[Row]:
    """Yield the first of the runs, as many as are read at once."""
    spans = 0
    for run in runs:
        if spans and spans + run.SpanCount > MOST_SPANS:
            return
        spans += run.SpanCount
        yield run
