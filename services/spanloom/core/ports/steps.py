"""The port for listing the steps of many runs, page by page."""

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
    """A position in a list of steps: the run's position in lists, and the step's in its run."""

    start_ns: int
    trace_id: str
    project: str
    position: int
    rank: Rank = ()
    """The first sort key, before the start, if the list is ordered by a field of steps."""


class StepSelection(NamedTuple):
    """Conditions on steps and on their runs, ``None`` for all, and the order of the steps."""

    where: Condition | None = None
    run_where: Condition | None = None
    order: Order = NEWEST_FIRST
    """The order by a field of steps, or by the start of their runs."""

    @property
    def is_by_run(self) -> bool:
        """Whether steps are ordered run by run, not by a field of steps."""
        return self.order.field is START

    def runs(self) -> RunSelection:
        """Return the selection of runs that have a matching step; other runs need not be read."""
        has_step = None if self.where is None else Chain((self.where,), ())
        parts = [part for part in (self.run_where, has_step) if part is not None]
        where = And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None)
        return RunSelection(where, self.order if self.is_by_run else NEWEST_FIRST)


ANY_STEP = StepSelection()


@dataclass(frozen=True, slots=True)
class ListedStep:
    """A step in a list of steps, with the values that its cursor needs."""

    row: StepRow
    run_start_ns: int
    """Start of the run in ns since the epoch, by which lists are ordered."""
    rank: Rank = ()
    """See ``StepCursor.rank``."""

    @property
    def key(self) -> TraceKey:
        """The key of the step's run."""
        return TraceKey(self.row.project, self.row.trace_id)

    @property
    def cursor(self) -> StepCursor:
        """The cursor that continues after this step."""
        row = self.row
        return StepCursor(self.run_start_ns, row.trace_id, row.project, row.position, self.rank)


class StepReader(Protocol):
    """Reads the steps of current trajectories in the projects that the caller may see."""

    def list(
        self,
        reach: Reach,
        where: Condition | None,
        limit: int,
        after: StepCursor | None = None,
        query: StepSelection = ANY_STEP,
    ) -> Sequence[ListedStep]:
        """Return up to ``limit`` steps of runs that pass the filter, in the order of the query.

        By default runs are in the order of lists, and the steps of each run by their position. If
        the list is ordered by a field of steps, steps without a value come last. Raises
        ``InvalidQueryError`` if the query is invalid or too expensive for this many runs, and for a
        cursor from another order.
        """
