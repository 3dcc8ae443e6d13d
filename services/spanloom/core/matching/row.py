"""A run as a row of lists, whose columns are computed on first use."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from spanloom.core.matching.listed import (
    STEP_ARRAYS,
    TOTALS,
    Totals,
    agent_names,
    attributes_of,
    built_steps,
    placed_steps,
    sender_metadata,
)
from spanloom.core.matching.verdict import NO_JUDGEMENTS
from spanloom.core.messages.new_texts import find_new_texts, read_step_texts
from spanloom.core.messages.texts import answer_in, gist, question_in
from spanloom.core.query.flat_steps import find_attributes, lay_flat
from spanloom.core.records.declared import Stored
from spanloom.core.records.run import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.matching.verdict import Judgements
    from spanloom.core.messages.new_texts import NewTexts
    from spanloom.core.model.trajectory import Status, Trajectory
    from spanloom.core.query.flat_steps import FlatStep
    from spanloom.core.records.declared import BuiltSteps

_OF_RUN = {
    stored.column: stored.value
    for stored in RUN.stored
    if isinstance(stored, Stored) and stored.value
}


class RunRow:
    """The row of a run, indexed by column name (see ``declared.Row``); also a ``BuiltRun``."""

    def __init__(
        self,
        trajectory: Trajectory,
        version: int,
        status: Status,
        *,
        seq: int = 0,
        rank: int = 0,
        steps: Sequence[FlatStep] | None = None,
    ) -> None:
        """Set the trajectory, and the version, status and ranks of this build.

        ``steps`` are the steps of the trajectory in order; by default they are ordered by start.
        """
        self.trajectory = trajectory
        self.version = version
        self.status = status
        self.seq, self.rank = seq, rank
        if steps is not None:
            self.steps = steps
        self.judgements = NO_JUDGEMENTS
        """Annotations and scores of the run, if the caller sets them."""
        self._columns: dict[str, Any] = {}  # of the type of the column

    def __getitem__(self, column: str) -> Any:  # of the type of the column
        """Return the value of a column; raise ``KeyError`` for an unknown column."""
        if column not in self._columns:
            self._columns[column] = self._computed(column)
        return self._columns[column]

    @cached_property
    def steps(self) -> Sequence[FlatStep]:
        """The steps of the run, in the order of the list columns."""
        return lay_flat(placed_steps(self.trajectory))

    def each_step(self) -> Iterator[StepRow]:
        """Yield the steps of the run in order."""
        for at in range(len(self.steps)):
            yield StepRow(self, at)

    def text_at(self, at: int) -> NewTexts | None:
        """Return the new texts of the step at a position; ``None`` if it has none."""
        return self._texts.get(self.steps[at].step.id)

    @cached_property
    def _texts(self) -> Mapping[str, NewTexts]:
        texts = (read_step_texts(step) for _, step in placed_steps(self.trajectory))
        return {new.step_id: new for new in find_new_texts(texts)}

    @cached_property
    def agent_names(self) -> list[str]:
        """The agents' names; see ``BuiltRun``."""
        return agent_names(self.trajectory)

    @cached_property
    def question(self) -> str:
        """The user's last message in the run's input, in one line; see ``BuiltRun``."""
        return gist(question_in(self.trajectory.root.input))

    @cached_property
    def answer(self) -> str:
        """The last message in the run's output, in one line; see ``BuiltRun``."""
        return gist(answer_in(self.trajectory.root.output))

    def _computed(self, column: str) -> object:
        if (of_run := _OF_RUN.get(column)) is not None:
            return of_run(self)
        if (of_steps := STEP_ARRAYS.get(column)) is not None:
            return of_steps(self._built)
        if (total := TOTALS.get(column)) is not None:
            return total(self._totals)
        return _OTHERS[column](self)

    @cached_property
    def _built(self) -> BuiltSteps:
        return built_steps(self.steps, self.trajectory.root.start_ns)

    @cached_property
    def _totals(self) -> Totals:
        return Totals(self.steps)


class StepRow:
    """The row of a step: its items in the list columns of its run, such as ``Name``."""

    __slots__ = ("at", "run")

    def __init__(self, run: RunRow, at: int) -> None:
        """Refer to the step at this position, from 0."""
        self.run = run
        self.at = at

    def __getitem__(self, item: str) -> Any:  # of the type of the column
        """Return an item; raise ``KeyError`` for an unknown item."""
        return self.run[f"Steps.{item}"][self.at]

    @property
    def text(self) -> NewTexts | None:
        """The step's texts that no earlier step of the run has; ``None`` if there are none."""
        return self.run.text_at(self.at)

    @property
    def judgements(self) -> Judgements:
        """The step's annotations and scores."""
        return self.run.judgements.of_steps.get(self.run.steps[self.at].step.id, NO_JUDGEMENTS)


def _owners(row: RunRow) -> Sequence[str]:
    names = ["", *row["Steps.Name"]]
    return [names[place] for place in row["Steps.Agent"]]


_OTHERS: Mapping[str, Callable[[RunRow], object]] = {
    "Attributes": lambda row: find_attributes(
        *sender_metadata(row.trajectory), row["Steps.Attributes"]
    ),
    "Steps.Attributes": lambda row: attributes_of(row.steps),
    "Steps.Place": lambda row: range(1, len(row.steps) + 1),
    "Steps.Owner": _owners,
}
"""Columns that are computed from the run together with its steps."""
