"""Makes, reads and joins frames of pandas, whose columns have nullable types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from spanloom.client.frames.columns import Column, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TYPES = {
    Kind.TEXT: "string",
    Kind.WHOLE: "Int64",
    Kind.REAL: "Float64",
    Kind.TRUTH: "boolean",
    Kind.TEXTS: "object",
}


def read(stream: bytes) -> pd.DataFrame:
    """Return a frame read from a stream of Arrow; needs PyArrow too."""
    from spanloom.client.frames import arrow  # noqa: PLC0415  # pandas may be there without it

    table = arrow.read(stream)
    plain = {arrow.TYPES[kind]: name for kind, name in TYPES.items() if kind is not Kind.TEXTS}
    types = {kind: pd.api.types.pandas_dtype(name) for kind, name in plain.items()}
    frame = table.to_pandas(types_mapper=types.get)
    for field in table.schema:
        if field.type == arrow.TYPES[Kind.TEXTS]:  # lists, not arrays of NumPy
            frame[field.name] = pd.Series(table.column(field.name).to_pylist(), dtype="object")
    return frame


def make(columns: Mapping[str, Column]) -> pd.DataFrame:
    """Return a frame made of columns."""
    return pd.DataFrame({name: _series(column) for name, column in columns.items()})


def join(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the frames concatenated by row.

    Columns missing in a frame have missing values there.
    """
    return pd.concat(frames, ignore_index=True)


def _series(column: Column) -> pd.Series:
    if column.kind is Kind.MOMENT:
        return pd.Series(pd.to_datetime(column.values, unit="ns", utc=True)).astype(
            "datetime64[ns, UTC]"
        )
    return pd.Series(column.values, dtype=TYPES[column.kind])
