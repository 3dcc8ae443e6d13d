"""Frames of pandas, in types that know what is missing."""

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


def make(columns: Mapping[str, Column]) -> pd.DataFrame:
    """Return a frame of columns."""
    return pd.DataFrame({name: _series(column) for name, column in columns.items()})


def join(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return one frame; columns that one lacks are missing."""
    return pd.concat(frames, ignore_index=True)


def _series(column: Column) -> pd.Series:
    if column.kind is Kind.MOMENT:
        return pd.Series(pd.to_datetime(column.values, unit="ms", utc=True)).astype(
            "datetime64[ms, UTC]"
        )
    return pd.Series(column.values, dtype=TYPES[column.kind])
