"""A record as the bytes of its rows in every table: made without a store, written by ``store.py``.

Rows of one table can be concatenated, those in JSON with a comma in between: rows encoded by
several processes become one INSERT.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import orjson

from spanloom.core.ports.building import CarriedRecord
from spanloom.storage.engine.row_binary import RowBinary
from spanloom.storage.runs.calls import call_rows
from spanloom.storage.runs.list_rows import list_row, moved_list_rows
from spanloom.storage.runs.rows import TRAJECTORY_COLUMNS, summary_row, trajectory_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.ports.building import TrajectoryRecord

CALLS_PER_TEXT = 10_000
COLUMNS_AT_ONCE = 8
LONG_SPANS = 10_000
"""Of longer runs one column is encoded at a time: eight of a long run take 30 MiB as numbers."""


def encode_record(record: TrajectoryRecord) -> CarriedRecord:
    """Return a record in the form that ``ClickHouseTrajectories.write_carried`` takes."""
    trajectory, summary = record.trajectory, summary_row(record)
    at_once = COLUMNS_AT_ONCE if trajectory.span_count <= LONG_SPANS else 1
    # First: of a long run it takes the most memory.
    listed = _object(list_row(record, summary), at_once)
    return CarriedRecord(
        key=record.key,
        version=record.version,
        seq=record.seq,
        status=record.status,
        start_ns=trajectory.root.start_ns,
        conversation_id=trajectory.conversation_id,
        calls=_call_texts(record),
        listed=listed,
        moved=b",".join(map(orjson.dumps, moved_list_rows(record, summary))),
        row=list(RowBinary([trajectory_row(record, summary)], TRAJECTORY_COLUMNS)),
    )


def _object(columns: Iterator[tuple[str, object]], at_once: int) -> Sequence[bytes]:
    """Return a JSON object in pieces with some columns in each."""
    slices = iter(lambda: dict(islice(columns, at_once)), {})
    pieces = [b"," + memoryview(orjson.dumps(some))[1:-1] for some in slices]
    return [b"{", pieces[0][1:], *pieces[1:], b"}"]


def _call_texts(record: TrajectoryRecord) -> Sequence[bytes]:
    """Return the calls in several texts: those of a long trace take more than one INSERT."""
    rows = call_rows(record.seq, record.version, record.calls)
    slices = iter(lambda: list(islice(rows, CALLS_PER_TEXT)), [])
    return [orjson.dumps(some)[1:-1] for some in slices]
