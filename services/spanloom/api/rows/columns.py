"""Column types of rows, derived from the pydantic model of a row, for formats with types.

::

    started_at      moment    "1715400000000"
    duration        length    "350"
    step_counts     counts    {"model": 2, "tool": 1}
"""

from __future__ import annotations

from enum import Enum
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_origin

from pydantic import BaseModel

from spanloom.core.model.trajectory import Kind
from spanloom.core.records.declared import Timed

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    declared = next((one for one in field.metadata if isinstance(one, Sort | Timed)), None)
    if isinstance(declared, Timed):
        return Sort(declared.value)
    return declared or _sort_of_type(field.annotation)


def _sort_of_type(kind: Any) -> Sort | Columns:  # a type
    if isinstance(kind, UnionType):
        return _sort_of_type(next(one for one in get_args(kind) if one is not type(None)))
    if (origin := get_origin(kind)) is not None:
        return _NESTED.get(origin, Sort.TEXT)  # a Literal of strings
    if issubclass(kind, BaseModel):
        return columns_of(kind)
    return _PLAIN.get(kind, Sort.TEXT)  # as above


_NESTED = {list: Sort.TEXTS, dict: Sort.COUNTS}
_PLAIN = {int: Sort.WHOLE, float: Sort.REAL, bool: Sort.TRUTH}
