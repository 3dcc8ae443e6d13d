"""Makes, reads and joins tables of PyArrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import ipc

from spanloom.client.frames.columns import Column, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TYPES = {
    Kind.TEXT: pa.string(),
    Kind.WHOLE: pa.int64(),
    Kind.REAL: pa.float64(),
    Kind.TRUTH: pa.bool_(),
    Kind.MOMENT: pa.timestamp("ns", tz="UTC"),
    Kind.TEXTS: pa.list_(pa.string()),
}


def read(stream: bytes) -> pa.Table:
    """Return a table read from a stream of Arrow."""
    return ipc.open_stream(stream).read_all()


def make(columns: Mapping[str, Column]) -> pa.Table:
    """Return a table made of columns."""
    arrays = {name: pa.array(column.values, TYPES[column.kind]) for name, column in columns.items()}
    return pa.table(arrays)


def join(tables: Sequence[pa.Table]) -> pa.Table:
    """Return the tables concatenated by row; columns missing in a table are null there."""
    return pa.concat_tables(tables, promote_options="default")
