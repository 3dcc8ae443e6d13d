"""Computes the columns of a run from its trajectory: its steps in order, and their totals.

Storage writes these values (``storage/runs/rows.py``); a ``where`` without a store reads the same
values (``row.py``).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from spanloom.core.model.step import StepType, names_of_agents
from spanloom.core.model.trajectory import Kind
from spanloom.core.query.flat_steps import count_repeats, list_attributes
from spanloom.core.records.declared import BuiltSteps, StoredSteps
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.query.flat_steps import FlatStep, Repeats

STEP_ARRAYS: Mapping[str, Callable[[BuiltSteps], Sequence[object]]] = {
    stored.column: stored.values
    for stored in STEP.stored
    if isinstance(stored, StoredSteps) and stored.values
}
"""Columns that have an item for each step."""


def placed_steps(trajectory: Trajectory) -> Iterator[tuple[str, Step]]:
    """Yield every step once, with the id of the agent above it (an empty id for the root)."""
    below_root = trajectory.root_type in (Kind.MODEL, Kind.TOOL)
    if trajectory.root_type is not Kind.OTHER and not below_root:
        yield "", trajectory.root
    for agent in trajectory.agent_steps:
        for step in agent.steps:
            yield agent.step.id, step


def agent_names(trajectory: Trajectory) -> list[str]:
    """Return the searchable names of the run's agents, ordered by start."""
    return names_of_agents(s for _, s in placed_steps(trajectory) if s.type is StepType.AGENT)


def built_steps(flats: Sequence[FlatStep], start_ns: int) -> BuiltSteps:
    """Return the input for the step columns; ``start_ns`` is the start of the run."""
    return BuiltSteps(start_ns, *(zip(*flats, strict=True) if flats else [()] * 6))


def attributes_of(flats: Sequence[FlatStep]) -> Sequence[Sequence[str]]:
    """Return the searchable metadata of each step; equal texts share memory."""
    seen: dict[str, str] = {}
    keep = seen.setdefault
    return [[keep(text, text) for text in list_attributes(f.step.metadata)] for f in flats]


def sender_metadata(trajectory: Trajectory) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the sender's metadata for the run, and the metadata of its root."""
    metadata = trajectory.extras.get("metadata")
    return metadata if isinstance(metadata, dict) else {}, trajectory.root.metadata


class Totals:
    """Computes totals over the steps of a run."""

    def __init__(self, steps: Sequence[FlatStep]) -> None:
        """Set the steps to count over."""
        self._steps = steps

    @cached_property
    def repeats(self) -> Repeats:
        """The numbers of repeated tool calls."""
        return count_repeats(self._steps)

    @cached_property
    def failed(self) -> Sequence[StepType]:
        """The types of the steps that failed."""
        return [flat.step.type for flat in self._steps if flat.step.error is not None]


TOTALS: Mapping[str, Callable[[Totals], int]] = {
    "ModelErrors": lambda totals: totals.failed.count(StepType.MODEL),
    "ToolErrors": lambda totals: totals.failed.count(StepType.TOOL),
    "LongestRepeat": lambda totals: totals.repeats.longest,
    "MostRepeats": lambda totals: totals.repeats.most,
}
"""Columns of a run that are totals over its steps."""
