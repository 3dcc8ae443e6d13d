"""Makes, reads and joins frames of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from spanloom.client.frames.columns import Column, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TYPES = {
    Kind.TEXT: pl.String(),
    Kind.WHOLE: pl.Int64(),
    Kind.REAL: pl.Float64(),
    Kind.TRUTH: pl.Boolean(),
    Kind.TEXTS: pl.List(pl.String()),
}


def read(stream: bytes) -> pl.DataFrame:
    """Return a frame read from a stream of Arrow."""
    return pl.read_ipc_stream(stream)


def make(columns: Mapping[str, Column]) -> pl.DataFrame:
    """Return a frame made of columns."""
    return pl.DataFrame([_series(name, column) for name, column in columns.items()])


def join(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the frames concatenated by row; columns missing in a frame are null there."""
    return pl.concat(frames, how="diagonal")


def _series(name: str, column: Column) -> pl.Series:
    if column.kind is Kind.MOMENT:
        since = pl.Series(name, column.values, pl.Int64())
        return since.cast(pl.Datetime("ns", "UTC"))
    return pl.Series(name, column.values, TYPES[column.kind])
