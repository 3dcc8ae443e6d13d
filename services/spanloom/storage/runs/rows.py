"""Encodes a trajectory as the rows of all its tables, as bytes, without a store.

Rows of one table can be concatenated, JSON rows with a comma in between, so rows encoded by
several processes become one INSERT.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import orjson

from spanloom.core.matching.listed import (
    STEP_ARRAYS,
    TOTALS,
    Totals,
    attributes_of,
    built_steps,
    placed_steps,
    sender_metadata,
)
from spanloom.core.matching.row import RunRow
from spanloom.core.messages.new_texts import NO_TEXT, find_hashes, read_step_texts
from spanloom.core.ports.building import CarriedRecord
from spanloom.core.query.flat_steps import find_attributes, lay_flat
from spanloom.core.records.declared import Stored, Tables
from spanloom.core.records.run import RUN
from spanloom.storage.engine.row_binary import (
    Encoder,
    RowBinary,
    boolean,
    int64,
    text,
    texts,
    uint32,
    uint64,
    uint64s,
)
from spanloom.storage.runs.calls import call_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.messages.new_texts import StepTexts
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.query.flat_steps import FlatStep


Summary: TypeAlias = "Mapping[str, object]"

RUN_STORED = tuple(stored for stored in RUN.stored if isinstance(stored, Stored))
_ENCODERS: Mapping[str, Encoder] = {
    "String": text,
    "LowCardinality(String)": text,
    "Array(String)": texts,
    "Array(LowCardinality(String))": texts,
    "Array(UInt64)": uint64s,
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
_VALUES = [stored.column for stored in RUN_STORED if stored.value]
_SHARED = [s.column for s in RUN_STORED if s.value and s.tables is not Tables.LIST]


def trajectory_row(record: TrajectoryRecord, summary: Summary) -> dict[str, object]:
    """Return a record, with its ``summary_row``, as a row of ``trajectories``."""
    return {
        **{column: summary[column] for column in _SHARED},
        "NewestSeq": record.seq,
        "ReadMark": record.read.mark,
        "Before": record.before,
        "Fingerprint": record.fingerprint,
        "StepIds": [step.id for _, step in placed_steps(record.trajectory)],
        "Document": record.document,
        "SpansDocument": record.spans_document,
    }


def summary_row(record: TrajectoryRecord) -> Summary:
    """Return the columns of ``trajectory_list`` except the totals of its steps.

    ``trajectories`` has most of these columns too. Call this once for all rows of a record, because
    it parses the question and the answer.
    """
    trajectory, rank = record.trajectory, record.build.rank
    row = RunRow(trajectory, record.version, record.status, seq=record.seq, rank=rank)
    return {column: row[column] for column in _VALUES}


Columns: TypeAlias = "Iterator[tuple[str, object]]"
"""A row as an iterator of its columns.

All arrays of a long run together would take as much memory as its texts.
"""


def list_row(record: TrajectoryRecord, summary: Summary) -> Columns:
    """Yield a record, with its ``summary_row``, as a row of ``trajectory_list``."""
    trajectory = record.trajectory
    root = trajectory.root
    yield from summary.items()
    yield from laid_out(
        lay_flat(placed_steps(trajectory)),
        root_id=root.id,
        start_ns=root.start_ns,
        metadata=sender_metadata(trajectory),
        texts=(read_step_texts(step) for _, step in placed_steps(trajectory)),
    )


def laid_out(
    steps: Sequence[FlatStep],
    *,
    root_id: str,
    start_ns: int,
    metadata: tuple[Mapping[str, str], Mapping[str, str]],
    texts: Iterable[StepTexts],
) -> Columns:
    """Yield the columns that only ``trajectory_list`` has: the steps and their totals.

    ``metadata`` is the sender's metadata of the run and its root; ``texts`` are its steps' texts.
    """
    totals = Totals(steps)
    yield "IsDeleted", 0
    yield "RootId", int(root_id or "0", 16)  # empty for a run with unreadable spans
    for column, total in TOTALS.items():
        yield column, total(totals)
    of_steps = attributes_of(steps)
    yield "Attributes", find_attributes(*metadata, of_steps)
    yield "Steps.Attributes", of_steps
    del of_steps
    built = built_steps(steps, start_ns)
    for column, values in STEP_ARRAYS.items():
        yield column, values(built)
    ids = [flat.step.id for flat in steps]
    del steps, totals, built
    hashes = find_hashes(texts)  # last, when the other values are no longer in memory
    yield "Steps.Text", [hashes.get(step_id, NO_TEXT) for step_id in ids]


def tombstones(record: TrajectoryRecord, summary: Summary) -> Iterator[dict[str, object]]:
    """Yield, for each list position that the trajectory leaves, the row that deletes it there."""
    for place in record.before:
        yield {**summary, "StartTimeUnixNano": place, "IsDeleted": 1}


CALLS_PER_TEXT = 10_000
COLUMNS_AT_ONCE = 8
LONG_SPANS = 10_000
"""Above this number of spans, columns are encoded one at a time instead of eight.

Eight columns of Python numbers take 30 MiB.
"""


def encode_record(record: TrajectoryRecord) -> CarriedRecord:
    """Encode a record for ``ClickHouseTrajectories.write_carried``."""
    trajectory, summary = record.trajectory, summary_row(record)
    at_once = COLUMNS_AT_ONCE if trajectory.span_count <= LONG_SPANS else 1
    # First, because it takes the most memory for a long run.
    listed = _object(list_row(record, summary), at_once)
    left = [b"," + orjson.dumps(row) for row in tombstones(record, summary)]
    return CarriedRecord(
        key=record.key,
        build=record.build,
        seq=record.seq,
        status=record.status,
        start_ns=record.start_ns,
        conversation_id=trajectory.conversation_id,
        calls=_call_texts(record),
        listed=[*listed, *left],
        row=list(RowBinary([trajectory_row(record, summary)], TRAJECTORY_COLUMNS)),
    )


def _object(columns: Iterator[tuple[str, object]], at_once: int) -> Sequence[bytes]:
    """Return a JSON object in chunks, with ``at_once`` columns in each."""
    slices = iter(lambda: dict(islice(columns, at_once)), {})
    pieces = [b"," + memoryview(orjson.dumps(some))[1:-1] for some in slices]
    return [b"{", pieces[0][1:], *pieces[1:], b"}"]


def _call_texts(record: TrajectoryRecord) -> Sequence[bytes]:
    """Return the calls in several texts, because a long trace needs more than one INSERT."""
    rows = call_rows(record.build.rank, record.version, record.calls)
    slices = iter(lambda: list(islice(rows, CALLS_PER_TEXT)), [])
    return [orjson.dumps(some)[1:-1] for some in slices]
