"""In-memory step rows: every step of every run, sorted and paged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.support.where_evaluation import Run, holds, step_facts

from spanloom.core.model.step import StepType, Usage
from spanloom.core.ports.steps import ListedStep
from spanloom.core.query.flat_steps import list_attributes
from spanloom.core.query.selection import START
from spanloom.core.records.step import StepRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.ports.steps import StepCursor, StepSelection
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.query.selection import Order, Rank

NO_USAGE = Usage(None, None, None, None, None)  # type: ignore[arg-type]  # nothing is known


def step_rows(record: TrajectoryRecord, run: Run, asked: StepSelection) -> Iterator[ListedStep]:
    """Yield the selected steps of a run, in order."""
    if asked.run_where is not None and not holds(asked.run_where, run):
        return
    for place in range(1, len(run.steps) + 1):
        facts = Run(step_facts(place, run), ())
        if asked.where is None or holds(asked.where, facts):
            yield replace(_row(place, run, record), rank=_rank(asked.order, facts.facts))


def in_order(rows: Iterable[ListedStep], order: Order) -> Sequence[ListedStep]:
    """Return steps in an order; within a run the positions are always ascending."""
    placed = sorted(rows, key=lambda row: row.row.position)
    return sorted(placed, key=lambda row: _before_place(row.cursor), reverse=order.is_descending)


def comes_later(cursor: StepCursor, than: StepCursor, order: Order) -> bool:
    """Return whether a position is after another one in an order."""
    one, other = _before_place(cursor), _before_place(than)
    if one == other:
        return cursor.position > than.position
    return (one < other) is order.is_descending


def _before_place(cursor: StepCursor) -> tuple[object, ...]:
    return (*cursor.rank, *cursor[:3])


def _rank(order: Order, facts: Mapping[str, Any]) -> Rank:
    if order.field is START:
        return ()
    value = facts[order.field.name]
    if order.field.name in _ALWAYS_THERE:
        return (value,)
    return (int((value is None) is not order.is_descending), value or 0)


_ALWAYS_THERE = frozenset({"duration", "position"})


def _row(place: int, run: Run, record: TrajectoryRecord) -> ListedStep:
    flat, facts, root = run.steps[place - 1], step_facts(place, run), record.trajectory.root
    step, original = flat.step, record.trajectory.duplicate_of
    usage = (step.usage or Usage()) if step.type is StepType.MODEL else NO_USAGE
    above = "" if step.id == root.id else root.id
    row = StepRow(
        trace_id=record.key.trace_id,
        project=record.key.project,
        version=record.version,
        run_started_at=record.start_ns // 1_000_000,
        position=place - 1,
        step_id=step.id,
        agent_id=(run.steps[flat.agent - 1].step.id if flat.agent else above) or None,
        agent_name=facts["owner"] or None,
        parent_id=(run.steps[flat.parent - 1].step.id if flat.parent else above) or None,
        type=step.type,
        name=step.name,
        dialect=step.dialect,
        started_at=max(0, step.start_ns) // 1_000_000,
        duration=facts["duration"] // 1_000_000,
        model=step.model or None,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_creation_tokens=usage.cache_creation_tokens,
        cost=facts["cost"],
        first_token_ms=step.first_token_ms,
        has_error=step.error is not None,
        error_code=facts["error_code"],
        error_type=(step.error.type if step.error else "") or None,
        error_message=facts["error_message"] or None,
        attributes=list_attributes(step.metadata),
        duplicate_of=original.trace_id if original else None,
    )
    return ListedStep(row, root.start_ns)
