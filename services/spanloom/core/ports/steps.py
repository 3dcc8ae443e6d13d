"""Steps as rows of a table: the steps of many runs, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.span import TraceKey
from spanloom.core.query.question import Question
from spanloom.core.query.where.tree import And, Chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.query.where.tree import Condition
    from spanloom.core.records.step import StepRow


class StepCursor(NamedTuple):
    """A position among step rows: the run as lists have it, and a place in that run."""

    start_ns: int
    trace_id: str
    project: str
    position: int


class StepsAsked(NamedTuple):
    """A query for steps: which steps, and of which runs; ``None`` is all of them."""

    where: Condition | None = None
    run_where: Condition | None = None

    def runs(self) -> Question:
        """Return the query for the runs that have such a step: no other need be read."""
        has_step = None if self.where is None else Chain((self.where,), ())
        parts = [part for part in (self.run_where, has_step) if part is not None]
        return Question(And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None))


ANY_STEP = StepsAsked()


@dataclass(frozen=True, slots=True)
class ListedStep:
    """A step among those of many runs, and its place there."""

    row: StepRow
    run_start_ns: int
    """In nanoseconds: lists are ordered by it."""

    @property
    def key(self) -> TraceKey:
        """The run of the step."""
        return TraceKey(self.row.project, self.row.trace_id)

    @property
    def cursor(self) -> StepCursor:
        """The position just after this row."""
        row = self.row
        return StepCursor(self.run_start_ns, row.trace_id, row.project, row.position)


class StepReader(Protocol):
    """Reads the steps of current trajectories, within the reader's reach."""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: StepCursor | None = None,
        asked: StepsAsked = ANY_STEP,
    ) -> Sequence[ListedStep]:
        """Return up to ``limit`` steps of runs that pass the filter, newest run first.

        Runs are in the order of lists, the steps of each by their position. Raises
        ``InvalidQueryError`` for a query that cannot be answered, or not over so many runs.
        """
