"""Steps as rows of a table: those of many runs, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.query.question import Question
from spanloom.core.query.where.tree import And, Chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.query.fields import TrajectoryFilter
    from spanloom.core.query.where.tree import Condition


class StepCursor(NamedTuple):
    """A position among step rows: the run as lists have it, and a place in that run."""

    start_ns: int
    trace_id: str
    project: str
    position: int


class StepsAsked(NamedTuple):
    """Which steps are asked for, and of which runs; ``None``: all of them."""

    where: Condition | None = None
    run_where: Condition | None = None

    def runs(self) -> Question:
        """Return which runs have such a step: no other has to be looked at."""
        has_step = None if self.where is None else Chain((self.where,), ())
        parts = [part for part in (self.run_where, has_step) if part is not None]
        return Question(And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None))


ANY_STEP = StepsAsked()


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step with its run: what a row of ``v_steps`` says."""

    key: TraceKey
    version: int
    """Of the trajectory."""
    run_start_ns: int
    position: int
    """Among the steps of its run, from 0, as ``where`` counts."""
    step_id: str
    agent_id: str
    """Span id of the agent that it belongs to, which may be the root; empty of the root itself."""
    agent_name: str
    parent_id: str
    type: str
    name: str
    dialect: str
    start_ns: int
    duration_ns: int
    model: str
    input_tokens: int | None
    """Tokens and costs are of model steps alone: an agent tells the sum of its calls."""
    output_tokens: int | None
    reasoning_tokens: int | None
    cache_read_tokens: int | None
    cache_creation_tokens: int | None
    cost: float | None
    first_token_ms: float | None
    has_error: bool
    error_code: int | None
    error_type: str
    error_message: str
    attributes: Sequence[str]
    duplicate_of: str

    @property
    def cursor(self) -> StepCursor:
        """The position just behind this row."""
        return StepCursor(self.run_start_ns, self.key.trace_id, self.key.project, self.position)


class StepReader(Protocol):
    """Gives readers the steps of current trajectories, within their reach."""

    def list(
        self,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: StepCursor | None = None,
        asked: StepsAsked = ANY_STEP,
    ) -> Sequence[StepRow]:
        """Return up to ``limit`` steps of runs that pass the filter, newest run first.

        Runs come as in lists, the steps of each by their position. Raises ``InvalidQueryError``
        for a question that cannot be answered, or not of so many runs.
        """
