"""The steps of a trajectory as arrays of its row in ``trajectory_list``, one for each property."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.costs import COST
from spanloom.core.model.trajectory import Kind, Usage
from spanloom.core.query.flat_steps import list_attributes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.trajectory import Step, Trajectory
    from spanloom.core.query.flat_steps import FlatStep

LONGEST_MESSAGE = 1000
"""Characters of what a failure says; documents have all of it."""
_NO_USAGE = Usage()
_COLUMNS = (
    "Id",
    "Type",
    "Name",
    "Dialect",
    "Parent",
    "Agent",
    "Enter",
    "Exit",
    "StartNs",
    "DurationNs",
    "Model",
    "InputTokens",
    "OutputTokens",
    "ReasoningTokens",
    "CacheReadTokens",
    "CacheCreationTokens",
    "Cost",
    "FirstTokenMs",
    "HasError",
    "ErrorCode",
    "ErrorType",
    "ErrorMessage",
    "Args",
    "Attributes",
)


def step_arrays(steps: Sequence[FlatStep], start_ns: int) -> Mapping[str, Sequence[object]]:
    """Return the arrays by their columns; ``start_ns`` is that of the run."""
    rows = [_row(flat, start_ns) for flat in steps]
    columns = zip(*rows, strict=True) if rows else [()] * len(_COLUMNS)
    return {f"Steps.{name}": values for name, values in zip(_COLUMNS, columns, strict=True)}


def placed_steps(trajectory: Trajectory) -> Iterator[tuple[str, Step]]:
    """Yield every step once, with the id of the agent it stands under; empty for the root."""
    below_root = trajectory.root_type in (Kind.MODEL, Kind.TOOL)
    if trajectory.root_type is not Kind.OTHER and not below_root:
        yield "", trajectory.root
    for agent in trajectory.agent_steps:
        for step in agent.steps:
            yield agent.step.id, step


def _row(flat: FlatStep, start_ns: int) -> tuple[object, ...]:
    """Return the values of a step in the order of the columns: there are as many as spans."""
    step = flat.step
    error, cost = step.error, step.metadata.get(COST)
    return (
        int(step.id, 16),
        step.type,
        step.name,
        step.dialect,
        flat.parent,
        flat.agent,
        flat.enter,
        flat.exit,
        step.start_ns - start_ns,
        max(step.end_ns - step.start_ns, 0),
        step.model,
        *(step.usage or _NO_USAGE),
        None if cost is None else float(cost),
        step.first_token_ms,
        error is not None,
        error.code if error else 0,
        error.type if error else "",
        error.message[:LONGEST_MESSAGE] if error else "",
        flat.args,
        list_attributes(step.metadata),
    )
