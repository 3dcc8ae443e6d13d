"""Steps as rows: first the runs that have such steps, as lists find them, then their steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import StepType
from spanloom.core.ports.reading import Cursor
from spanloom.core.ports.steps import ANY_STEP, StepRow
from spanloom.core.query.where.fields import Subject
from spanloom.storage.engine.conditions import Condition, both, passing, within
from spanloom.storage.engine.questions import bounded
from spanloom.storage.engine.statements import query
from spanloom.storage.trajectories.lists import find_lines
from spanloom.storage.where.columns import joined_items
from spanloom.storage.where.compile import Compiler
from spanloom.storage.where.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.steps import StepCursor, StepsAsked
    from spanloom.core.query.fields import TrajectoryFilter
    from spanloom.storage.engine.lane import Lane, Row

FIRST_RUNS = 16
"""Runs looked at first; each has a step at least, and most have more. Then four times as many."""
MOST_RUNS = 1_000


class ClickHouseSteps:
    """Step rows over the lane of questions."""

    def __init__(self, asker: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._asker = asker

    def steps(
        self,
        reach: Reach,
        where: TrajectoryFilter,
        limit: int,
        after: StepCursor | None = None,
        asked: StepsAsked = ANY_STEP,
    ) -> Sequence[StepRow]:
        """See ``StepReader.steps``."""
        with bounded():
            wanted = _wanted(self._asker, reach, where, asked)
            found = _rest_of_run(self._asker, wanted, limit, after)
            behind = after and Cursor(after.start_ns, after.trace_id, after.project)
            most = FIRST_RUNS
            while len(found) < limit:
                lines = find_lines(self._asker, reach, where, most, behind, asked.runs())
                keys = [line.key for line in lines]
                found += _read(self._asker, wanted, keys, limit - len(found))
                if len(lines) < most:
                    break
                behind, most = lines[-1].cursor, min(4 * most, MOST_RUNS)
        return found


def _wanted(
    asker: Lane, reach: Reach, where: TrajectoryFilter, asked: StepsAsked
) -> dict[str, Condition]:
    """Return the conditions on the run, asked again of what a cursor names, and on the step."""
    compiler = Compiler(Texts(asker, within(reach)))
    run, step = (
        "true" if one is None else compiler.to_sql(one, subject)
        for one, subject in ((asked.run_where, Subject.RUN), (asked.where, Subject.STEP))
    )
    return {
        "reach": within(reach),
        "filter": both(passing(where), Condition(run, compiler.literals.values)),
        "steps": Condition(step, {}),
        "items": Condition(joined_items(f"{query('step_rows')} {step}"), {}),
    }


def _rest_of_run(
    asker: Lane, wanted: dict[str, Condition], limit: int, after: StepCursor | None
) -> list[StepRow]:
    """Return what is behind a position in its own run."""
    if after is None:
        return []
    return _read(asker, wanted, [TraceKey(after.project, after.trace_id)], limit, after.position)


def _read(
    asker: Lane,
    wanted: dict[str, Condition],
    keys: Sequence[TraceKey],
    most: int,
    behind: int = -1,
) -> list[StepRow]:
    if not keys:
        return []
    rows = asker.rows("step_rows", keys=keys, behind=behind, most=most, **wanted)
    return list(map(_step_of, rows))


def _step_of(row: Row) -> StepRow:
    """Return a row of ``step_rows.sql``."""
    above = "" if row.Id == row.Root else row.Root
    is_model = row.Type == StepType.MODEL.value
    return StepRow(
        key=TraceKey(row.Project, row.TraceId),
        version=row.Version,
        run_start_ns=row.StartTimeUnixNano,
        position=row.Position,
        step_id=row.Id,
        agent_id=row.AgentId or above,
        agent_name=row.AgentName,
        parent_id=row.ParentId or above,
        type=row.Type,
        name=row.Name,
        dialect=row.Dialect,
        start_ns=row.StartTimeUnixNano + row.OffsetNs,
        duration_ns=row.DurationNs,
        model=row.Model,
        input_tokens=row.InputTokens if is_model else None,
        output_tokens=row.OutputTokens if is_model else None,
        reasoning_tokens=row.ReasoningTokens if is_model else None,
        cache_read_tokens=row.CacheReadTokens if is_model else None,
        cache_creation_tokens=row.CacheCreationTokens if is_model else None,
        cost=row.Cost if is_model else None,
        first_token_ms=row.FirstTokenMs,
        has_error=row.HasError,
        error_code=None if row.ErrorCode in (0, -1) else row.ErrorCode,
        error_type=row.ErrorType,
        error_message=row.ErrorMessage,
        attributes=row.Attributes,
        duplicate_of=row.DuplicateOf,
    )
