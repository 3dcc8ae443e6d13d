"""Column types of rows, derived from the pydantic model of a row, for formats with types.

::

    started_at      moment    "1715400000000"
    duration        length    "350"
    step_counts     counts    {"model": 2, "tool": 1}
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_origin

from spanloom.core.model.trajectory import Kind
from spanloom.core.records.record import bare_type, is_record, timed_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

COUNTED = tuple(kind.value for kind in Kind)
"""The keys of counts: step types."""


class Sort(Enum):
    """The type of a column; a docstring says how JSON represents it where that differs."""

    TEXT = "text"
    WHOLE = "whole"
    REAL = "real"
    TRUTH = "truth"
    TEXTS = "texts"
    MOMENT = "moment"
    """In JSON: milliseconds since the epoch, as a string."""
    LENGTH = "length"
    """In JSON: milliseconds, as a string."""
    COUNTS = "counts"
    """A number for each of ``COUNTED``."""
    PAIRS = "pairs"
    """Pairs of whole numbers: ``[[0, 6], [9, 12]]``."""
    JSON = "json"
    """Any JSON value; typed formats hold it as text."""


Columns: TypeAlias = "Mapping[str, Sort | Columns]"
"""The columns of an answer, in order; for a nested row, the columns of that row."""


def columns_of(model: type[BaseModel]) -> Columns:
    """Return the columns of a row model."""
    return {name: _sort_of(field) for name, field in model.model_fields.items()}


def _sort_of(field: FieldInfo) -> Sort | Columns:
    timed = timed_of(field)
    return Sort(timed.value) if timed else _sort_of_type(bare_type(field.annotation)[0])


def _sort_of_type(kind: Any) -> Sort | Columns:  # a type
    if is_record(kind):
        return columns_of(kind)
    if get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, Enum)):
        return Sort.TEXT
    return _SORTS.get(kind, Sort.JSON)


_SORTS: Mapping[Any, Sort] = {
    str: Sort.TEXT,
    int: Sort.WHOLE,
    float: Sort.REAL,
    bool: Sort.TRUTH,
    list[str]: Sort.TEXTS,
    dict[str, int]: Sort.COUNTS,
    list[tuple[int, int]]: Sort.PAIRS,
}
