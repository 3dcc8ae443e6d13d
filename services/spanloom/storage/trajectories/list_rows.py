"""A trajectory as a row of ``trajectory_list``: what it adds up to, and its steps as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from spanloom.core.model.trajectory import StepType
from spanloom.core.query.flat_steps import count_repeats, find_attributes, lay_flat
from spanloom.core.reading.new_texts import NO_TEXT, find_new_texts, told_step
from spanloom.storage.trajectories.step_arrays import placed_steps, step_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.ports.building import TrajectoryRecord
    from spanloom.core.query.flat_steps import FlatStep
    from spanloom.core.reading.new_texts import NewTexts
    from spanloom.storage.trajectories.rows import Summary


def list_row(record: TrajectoryRecord, summary: Summary) -> dict[str, object]:
    """Return a record, and what ``summary_row`` says of it, as a row of ``trajectory_list``."""
    trajectory = record.trajectory
    root, extras = trajectory.root, trajectory.extras
    cost, metadata = extras.get("cost"), extras.get("metadata")
    steps = lay_flat(placed_steps(trajectory))
    columns = laid_out(
        steps,
        root_id=root.id,
        start_ns=root.start_ns,
        cost=cost["usd"] if isinstance(cost, dict) else None,
        told=(metadata if isinstance(metadata, dict) else {}, root.metadata),
        texts=find_new_texts(told_step(step) for _, step in placed_steps(trajectory)),
    )
    return {**summary, **columns}


def laid_out(
    steps: Sequence[FlatStep],
    *,
    root_id: str,
    start_ns: int,
    cost: float | None,
    told: tuple[Mapping[str, str], Mapping[str, str]],
    texts: Iterable[NewTexts],
) -> dict[str, object]:
    """Return the columns that only ``trajectory_list`` has: the steps, and what they add up to.

    ``told`` is what the sender adds to the run, and to its root; ``texts`` what steps brought.
    """
    arrays = step_arrays(steps, start_ns)
    hashes = {new.step_id: new.hash for new in texts}
    of_steps = cast("Sequence[Sequence[str]]", arrays["Steps.Attributes"])
    repeats = count_repeats(steps)
    failed = [flat.step.type for flat in steps if flat.step.error is not None]
    return {
        "IsDeleted": 0,
        "RootId": int(root_id or "0", 16),  # of a run whose spans cannot be read nothing is known
        "ModelErrors": failed.count(StepType.MODEL),
        "ToolErrors": failed.count(StepType.TOOL),
        "Cost": cost,
        "LongestRepeat": repeats.longest,
        "MostRepeats": repeats.most,
        "Attributes": find_attributes(*told, of_steps),
        "HasArrays": True,
        **arrays,
        "Steps.Text": [hashes.get(flat.step.id, NO_TEXT) for flat in steps],
    }


def moved_list_rows(record: TrajectoryRecord, summary: Summary) -> Iterator[dict[str, object]]:
    """Yield a tombstone for the place in the list where the trajectory stood, if it has moved."""
    before = record.previous
    if before is not None and before.start_ns != record.trajectory.root.start_ns:
        yield {**summary, "StartTimeUnixNano": before.start_ns, "IsDeleted": 1}
