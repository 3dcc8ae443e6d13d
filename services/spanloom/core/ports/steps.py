"""Steps as rows of a table: the steps of many runs, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.span import TraceKey
from spanloom.core.query.selection import NEWEST_FIRST, START, Order, RunSelection
from spanloom.core.query.where.tree import And, Chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.query.selection import Rank
    from spanloom.core.query.where.tree import Condition
    from spanloom.core.records.step import StepRow


class StepCursor(NamedTuple):
    """A position among step rows: the run's position in lists, and the step's in the run."""

    start_ns: int
    trace_id: str
    project: str
    position: int
    rank: Rank = ()
    """The sort key before the start, if the list is ordered by a value of steps."""


class StepSelection(NamedTuple):
    """A query for steps: which, of which runs, and in which order; ``None`` selects all."""

    where: Condition | None = None
    run_where: Condition | None = None
    order: Order = NEWEST_FIRST
    """Orders by a field of steps, or by the start of their runs."""

    @property
    def is_by_run(self) -> bool:
        """Whether the steps come run by run."""
        return self.order.field is START

    def runs(self) -> RunSelection:
        """Return the selection of runs that have a matching step; no other runs need to be read."""
        has_step = None if self.where is None else Chain((self.where,), ())
        parts = [part for part in (self.run_where, has_step) if part is not None]
        where = And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None)
        return RunSelection(where, self.order if self.is_by_run else NEWEST_FIRST)


ANY_STEP = StepSelection()


@dataclass(frozen=True, slots=True)
class ListedStep:
    """A step in a list of the steps of many runs, and its position in the list."""

    row: StepRow
    run_start_ns: int
    """Start of the run in nanoseconds, because lists are ordered by it."""
    rank: Rank = ()
    """See ``StepCursor.rank``."""

    @property
    def key(self) -> TraceKey:
        """The run of the step."""
        return TraceKey(self.row.project, self.row.trace_id)

    @property
    def cursor(self) -> StepCursor:
        """The position just after this row."""
        row = self.row
        return StepCursor(self.run_start_ns, row.trace_id, row.project, row.position, self.rank)


class StepReader(Protocol):
    """Reads the steps of current trajectories, within the reader's reach."""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: StepCursor | None = None,
        query: StepSelection = ANY_STEP,
    ) -> Sequence[ListedStep]:
        """Return up to ``limit`` steps of runs that pass the filter, in the order of the query.

        By default runs are in the order of lists, and the steps of each run by their position. If a
        value of steps orders the list, steps without it come last. Raises ``InvalidQueryError`` for
        a query that cannot be answered, or not over so many runs, and for a position in another
        order.
        """
