"""The steps of a trajectory as arrays in its row of ``trajectory_list``, one per property."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Kind
from spanloom.core.query.flat_steps import list_attributes
from spanloom.core.records.declared import BuiltSteps, StoredSteps
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.trajectory import Step, Trajectory
    from spanloom.core.query.flat_steps import FlatStep

_ARRAYS = [
    (stored.column, stored.values)
    for stored in STEP.stored
    if isinstance(stored, StoredSteps) and stored.values
]


def step_arrays(flats: Sequence[FlatStep], start_ns: int) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the columns and their arrays; ``start_ns`` is the start of the run."""
    columns = zip(*flats, strict=True) if flats else [()] * 6
    built = BuiltSteps(start_ns, *columns)
    for column, values in _ARRAYS:
        yield column, values(built)


def attributes_of(flats: Sequence[FlatStep]) -> Sequence[Sequence[str]]:
    """Return the searchable metadata of each step; equal lists are kept in memory once."""
    seen: dict[str, str] = {}
    keep = seen.setdefault
    return [[keep(text, text) for text in list_attributes(f.step.metadata)] for f in flats]


def placed_steps(trajectory: Trajectory) -> Iterator[tuple[str, Step]]:
    """Yield every step once, with the id of the agent above it; empty for the root."""
    below_root = trajectory.root_type in (Kind.MODEL, Kind.TOOL)
    if trajectory.root_type is not Kind.OTHER and not below_root:
        yield "", trajectory.root
    for agent in trajectory.agent_steps:
        for step in agent.steps:
            yield agent.step.id, step
