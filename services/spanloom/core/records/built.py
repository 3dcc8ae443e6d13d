"""The built trajectory from which the columns of a record are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.trajectory import Status, Step, Trajectory


@dataclass(frozen=True, slots=True)
class BuiltRun:
    """A version of a trajectory, and what was extracted from its texts."""

    trajectory: Trajectory
    version: int
    seq: int
    """The highest span version that it was built from."""
    status: Status
    agent_names: list[str]
    question: str
    """The user's question, shortened to one line."""
    answer: str


@dataclass(frozen=True, slots=True)
class BuiltSteps:
    """The steps of a run in their order, and where each is in the tree; places count from 1."""

    start_ns: int
    """When the run began."""
    steps: Sequence[Step]
    parents: Sequence[int]
    agents: Sequence[int]
    enters: Sequence[int]
    exits: Sequence[int]
    args: Sequence[int]
