"""Lists steps ordered by one of their values: first their positions, then their rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.ports.steps import StepCursor
from spanloom.storage.deletions.hiding import alive
from spanloom.storage.engine.parameters import Condition, within
from spanloom.storage.runs.current import MOST_READS
from spanloom.storage.runs.lists import condition_on_runs
from spanloom.storage.runs.step_rows import condition_on_steps, read_steps
from spanloom.storage.where.columns import joined_items
from spanloom.storage.where.orders import run_by_run, steps_ordered
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.steps import ListedStep, StepSelection
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

_THESE = (
    "(Project, StartTimeUnixNano, TraceId, StepPlace) IN"
    " JSONExtract({places:String}, 'Array(Tuple(String, UInt64, String, UInt32))')"
)


class TopSteps:
    """Reads one page of steps ordered by a value."""

    def __init__(
        self, asker: Connection, reach: Reach, where: tree.Condition | None, asked: StepSelection
    ) -> None:
        """Use the connection for queries, within the reader's reach."""
        self._asker, self._reach = asker, reach
        self._asked = asked
        self._runs = condition_on_runs(where, asked.runs(), SideTables(asker, reach))
        self._wanted = condition_on_steps(asker, reach, asked)

    def read(self, limit: int, after: StepCursor | None) -> list[ListedStep]:
        """Return the next steps.

        If a run is built again between the two queries, its positions change and are queried again;
        if that happens each time, the list continues after them.
        """
        found: list[ListedStep] = []
        while len(found) < limit:
            most = limit - len(found)
            for _ in range(MOST_READS):
                places = self._places(most, after)
                steps = self._steps(places)
                if len(steps) == len(places):
                    break
            found += steps
            if len(places) < most:
                break
            after = _cursor_of(places[-1])
        return found

    def _places(self, most: int, after: StepCursor | None) -> Sequence[Row]:
        ordered = steps_ordered(self._asked.order, after)
        named = " ".join(["StepPlace", self._wanted.text, ordered["order"].text])
        rows = self._asker.rows(
            "top_steps",
            items=Condition(joined_items(named), {}),
            reach=within(self._reach),
            filter=self._runs,
            alive=alive(self._asker, "trajectory_list"),
            steps=self._wanted,
            most=most,
            **ordered,
        )
        return list(rows)

    def _steps(self, places: Sequence[Row]) -> list[ListedStep]:
        """Return the steps that are still at these positions, in order."""
        if not places:
            return []
        cursors = list(map(_cursor_of, places))
        these = [(c.project, c.start_ns, c.trace_id, c.position + 1) for c in cursors]
        versions = dict.fromkeys(map(_version_of, places))
        steps = read_steps(
            self._asker,
            versions,
            Condition(_THESE, {"places": these}),
            run_by_run(self._asked.runs().order),
            len(places),
        )
        found = {step.cursor: step for step in steps}
        unranked = [(cursor._replace(rank=()), cursor.rank) for cursor in cursors]
        return [replace(found[place], rank=rank) for place, rank in unranked if place in found]


def _cursor_of(row: Row) -> StepCursor:
    place = row.StartTimeUnixNano, row.TraceId, row.Project
    return StepCursor(*place, row.StepPlace - 1, tuple(row.Rank))


def _version_of(row: Row) -> tuple[object, ...]:
    return row.Project, row.StartTimeUnixNano, row.TraceId, row.Seq, row.Version
