"""Lists the formats of dataset rows by name; a system's rows and runs have the same format name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spanloom.datasets.foreign import adk, coze, databricks, langsmith, mlflow
from spanloom.datasets.foreign.row import ForeignItem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.datasets.foreign.row import Items, ReadRow

OWN: Final = "items"
"""Spanloom's own format, which ``spanloom datasets export`` and the page write."""


class RowFormat(NamedTuple):
    """A format of rows."""

    fits: Callable[[Any], bool]
    """Returns whether a JSON value is a row of the format; the first such format is used."""
    read: ReadRow


def _is_own(value: object) -> bool:
    return isinstance(value, dict) and "item_key" in value and not coze.fits(value)


def _read_own(value: Any) -> Items:  # any JSON value
    """Yield a row unchanged; the service checks it."""
    yield ForeignItem(value)


ROW_FORMATS: Mapping[str, RowFormat] = {
    OWN: RowFormat(_is_own, _read_own),
    "coze-dataset": RowFormat(coze.fits, coze.read),
    "adk": RowFormat(adk.fits, adk.read),
    "databricks": RowFormat(databricks.fits, databricks.read),
    "mlflow-eval": RowFormat(mlflow.fits, mlflow.read),
    "langsmith": RowFormat(langsmith.fits, langsmith.read),
}


def recognised(value: object) -> RowFormat:
    """Return the format of a row; Spanloom's own format if the row has no other format."""
    found = (one for one in ROW_FORMATS.values() if one.fits(value))
    return next(found, ROW_FORMATS[OWN])
