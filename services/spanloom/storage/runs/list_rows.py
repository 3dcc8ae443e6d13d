"""A trajectory as a row of ``trajectory_list``: its totals, and its steps as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.messages.new_texts import NO_TEXT, find_hashes, read_step_texts
from spanloom.core.model.trajectory import StepType
from spanloom.core.query.flat_steps import count_repeats, find_attributes, lay_flat
from spanloom.storage.runs.step_arrays import attributes_of, placed_steps, step_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.messages.new_texts import StepTexts
    from spanloom.core.ports.building import TrajectoryRecord
    from spanloom.core.query.flat_steps import FlatStep
    from spanloom.storage.runs.rows import Summary

Columns: TypeAlias = "Iterator[tuple[str, object]]"
"""A row, column by column: all arrays of a long run at once take as much memory as its texts."""


def list_row(record: TrajectoryRecord, summary: Summary) -> Columns:
    """Yield a record, with its ``summary_row``, as a row of ``trajectory_list``."""
    trajectory = record.trajectory
    root, extras = trajectory.root, trajectory.extras
    metadata = extras.get("metadata")
    yield from summary.items()
    yield from laid_out(
        lay_flat(placed_steps(trajectory)),
        root_id=root.id,
        start_ns=root.start_ns,
        told=(metadata if isinstance(metadata, dict) else {}, root.metadata),
        texts=(read_step_texts(step) for _, step in placed_steps(trajectory)),
    )


def laid_out(
    steps: Sequence[FlatStep],
    *,
    root_id: str,
    start_ns: int,
    told: tuple[Mapping[str, str], Mapping[str, str]],
    texts: Iterable[StepTexts],
) -> Columns:
    """Yield the columns that only ``trajectory_list`` has: the steps, and their totals.

    ``told`` is the sender's metadata of the run and its root; ``texts`` are those of its steps.
    """
    repeats = count_repeats(steps)
    failed = [flat.step.type for flat in steps if flat.step.error is not None]
    yield "IsDeleted", 0
    yield "RootId", int(root_id or "0", 16)  # nothing is known of a run whose spans cannot be read
    yield "ModelErrors", failed.count(StepType.MODEL)
    yield "ToolErrors", failed.count(StepType.TOOL)
    yield "LongestRepeat", repeats.longest
    yield "MostRepeats", repeats.most
    of_steps = attributes_of(steps)
    yield "Attributes", find_attributes(*told, of_steps)
    yield "Steps.Attributes", of_steps
    del of_steps
    yield from step_arrays(steps, start_ns)
    hashes = find_hashes(texts)  # last: never in memory with a long run's attributes
    yield "Steps.Text", [hashes.get(flat.step.id, NO_TEXT) for flat in steps]


def moved_list_rows(record: TrajectoryRecord, summary: Summary) -> Iterator[dict[str, object]]:
    """Yield a tombstone for the trajectory's previous place in the list, if it has moved."""
    before = record.previous
    if before is not None and before.start_ns != record.trajectory.root.start_ns:
        yield {**summary, "StartTimeUnixNano": before.start_ns, "IsDeleted": 1}
