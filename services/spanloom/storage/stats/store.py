"""Numbers over stored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.stats import Group
from spanloom.core.query.where.fields import Subject
from spanloom.storage.deletions.tables import row_lives
from spanloom.storage.engine.conditions import Condition, both, within
from spanloom.storage.engine.questions import bounded
from spanloom.storage.stats.expressions import grouped, ordered, shown, steps_of
from spanloom.storage.where.beside import Beside
from spanloom.storage.where.compile import Compiler, passing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.stats import Numbers
    from spanloom.core.query.where import tree
    from spanloom.storage.engine.answers import Values
    from spanloom.storage.engine.lane import Lane


class ClickHouseStats:
    """Numbers over the lane of questions."""

    def __init__(self, asker: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._asker = asker

    def numbers(
        self, reach: Reach, where: tree.Condition | None, asked: Numbers
    ) -> Sequence[Group]:
        """See ``TrajectoryReader.numbers``."""
        with bounded():
            wanted = self._wanted(reach, asked)
            rows = self._asker.values(
                "numbers",
                reach=within(reach),
                filter=both(passing(where), wanted),
                alive=self._alive(),
                shown=shown(asked),
                steps=steps_of(asked, wanted.text),
                grouped=grouped(asked),
                order=ordered(asked),
                most=asked.top,
            )
        return [_group(row, asked) for row in rows]

    def _wanted(self, reach: Reach, asked: Numbers) -> Condition:
        compiler = Compiler(Beside(self._asker, reach))
        parts = [
            compiler.to_sql(where, subject)
            for where, subject in ((asked.where, Subject.RUN), (asked.steps_where, Subject.STEP))
            if where is not None
        ]
        return Condition(" AND ".join(parts) or "true", compiler.literals.values)

    def _alive(self) -> Condition:
        """Return the condition that a run is not deleted: this query names no trace."""
        if not self._asker.hiding.may_hide:
            return Condition("true", {})
        return Condition(f"({row_lives('trajectory_list')})", {})


def _group(row: Values, asked: Numbers) -> Group:
    start_ns = row.pop(0) if asked.interval_ns else None
    return Group(row[: len(asked.by)], start_ns, row[len(asked.by) :])
