"""A trajectory as a row of ``trajectories``, and the columns shared with ``trajectory_list``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.messages.texts import answer_in, gist, question_in
from spanloom.core.model.trajectory import StepType, names_of_agents
from spanloom.core.records.declared import BuiltRun, Stored, Tables
from spanloom.core.records.run import RUN
from spanloom.storage.engine.row_binary import Encoder, boolean, int64, text, texts, uint32, uint64
from spanloom.storage.runs.step_arrays import placed_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.building import TrajectoryRecord

Summary: TypeAlias = "Mapping[str, object]"

RUN_STORED = tuple(stored for stored in RUN.stored if isinstance(stored, Stored))
_ENCODERS: Mapping[str, Encoder] = {
    "String": text,
    "LowCardinality(String)": text,
    "Array(String)": texts,
    "Array(LowCardinality(String))": texts,
    "Bool": boolean,
    "UInt32": uint32,
    "UInt64": uint64,
    "Int64": int64,
}
"""The encoder of each column type."""
TRAJECTORY_COLUMNS: Mapping[str, Encoder] = {
    stored.column: _ENCODERS[stored.type]
    for stored in RUN_STORED
    if stored.tables is not Tables.LIST
}
"""The columns of ``trajectories`` that are written, and their encoders."""
_VALUES = [(stored.column, stored.value) for stored in RUN_STORED if stored.value]
_SHARED = [s.column for s in RUN_STORED if s.value and s.tables is not Tables.LIST]


def trajectory_row(record: TrajectoryRecord, summary: Summary) -> dict[str, object]:
    """Return a record, with its ``summary_row``, as a row of ``trajectories``."""
    return {
        **{column: summary[column] for column in _SHARED},
        "Fingerprint": record.fingerprint,
        "StepIds": [step.id for _, step in placed_steps(record.trajectory)],
        "Document": record.document,
        "SpansDocument": record.spans_document,
    }


def summary_row(record: TrajectoryRecord) -> Summary:
    """Return the columns of ``trajectory_list`` except the totals of its steps.

    ``trajectories`` has most of them too. Computed once for all rows of a record: it requires
    parsing the question and the answer.
    """
    built = built_run(record)
    return {column: value(built) for column, value in _VALUES}


def built_run(record: TrajectoryRecord) -> BuiltRun:
    """Return a record in the form from which the declared columns are computed."""
    trajectory = record.trajectory
    return BuiltRun(
        trajectory,
        record.version,
        record.seq,
        record.status,
        agent_names(trajectory),
        gist(question_in(trajectory.root.input)),
        gist(answer_in(trajectory.root.output)),
    )


def agent_names(trajectory: Trajectory) -> list[str]:
    """Return the names by which the run's agents can be found, in the order of their starts."""
    return names_of_agents(s for _, s in placed_steps(trajectory) if s.type is StepType.AGENT)
