"""The steps of a trajectory as arrays of its row in ``trajectory_list``, one for each property."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.metrics import COST
from spanloom.core.model.trajectory import Kind, Usage
from spanloom.core.query.flat_steps import list_attributes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.trajectory import Step, StepError, Trajectory
    from spanloom.core.query.flat_steps import FlatStep

LONGEST_MESSAGE = 1000
"""Characters of what a failure says; documents have all of it."""
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_NO_USAGE = Usage()
_TOKENS = (
    "Steps.InputTokens",
    "Steps.OutputTokens",
    "Steps.ReasoningTokens",
    "Steps.CacheReadTokens",
    "Steps.CacheCreationTokens",
)


def step_arrays(flats: Sequence[FlatStep], start_ns: int) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the columns and their arrays; ``start_ns`` is that of the run."""
    steps, parents, agents, enters, exits, args = zip(*flats, strict=True) if flats else [()] * 6
    usages = zip(*(step.usage or _NO_USAGE for step in steps), strict=True) if steps else [()] * 5
    yield "Steps.Id", [int(step.id, 16) for step in steps]
    yield "Steps.Type", [step.type for step in steps]
    yield "Steps.Name", [step.name for step in steps]
    yield "Steps.Dialect", [step.dialect for step in steps]
    yield "Steps.Parent", parents
    yield "Steps.Agent", agents
    yield "Steps.Enter", enters
    yield "Steps.Exit", exits
    yield "Steps.StartNs", _within_int64([step.start_ns - start_ns for step in steps])
    yield "Steps.DurationNs", [max(step.end_ns - step.start_ns, 0) for step in steps]
    yield "Steps.Model", [step.model for step in steps]
    yield from zip(_TOKENS, usages, strict=True)
    yield "Steps.Cost", [_cost_of(step) for step in steps]
    yield "Steps.FirstTokenMs", [step.first_token_ms for step in steps]
    yield from _errors([step.error for step in steps])
    yield "Steps.Args", args


def attributes_of(flats: Sequence[FlatStep]) -> Sequence[Sequence[str]]:
    """Return by what the metadata of each step can be found; what is the same is kept once."""
    seen: dict[str, str] = {}
    keep = seen.setdefault
    return [[keep(text, text) for text in list_attributes(f.step.metadata)] for f in flats]


def _cost_of(step: Step) -> float | None:
    cost = step.metadata.get(COST)
    return None if cost is None else float(cost)


def _errors(errors: Sequence[StepError | None]) -> Iterator[tuple[str, Sequence[object]]]:
    yield "Steps.HasError", [error is not None for error in errors]
    yield "Steps.ErrorCode", [error.code if error else 0 for error in errors]
    yield "Steps.ErrorType", [error.type if error else "" for error in errors]
    messages = [error.message[:LONGEST_MESSAGE] if error else "" for error in errors]
    yield "Steps.ErrorMessage", messages


def _within_int64(offsets: Sequence[int]) -> Sequence[int]:
    """Return how far apart times are, as far as the column goes: 292 years.

    Clocks that tell the first and the last nanosecond of 64 bits are 584 years apart.
    """
    if not offsets or (min(offsets) >= _INT64_MIN and max(offsets) <= _INT64_MAX):
        return offsets
    return [min(max(offset, _INT64_MIN), _INT64_MAX) for offset in offsets]


def placed_steps(trajectory: Trajectory) -> Iterator[tuple[str, Step]]:
    """Yield every step once, with the id of the agent it stands under; empty for the root."""
    below_root = trajectory.root_type in (Kind.MODEL, Kind.TOOL)
    if trajectory.root_type is not Kind.OTHER and not below_root:
        yield "", trajectory.root
    for agent in trajectory.agent_steps:
        for step in agent.steps:
            yield agent.step.id, step
