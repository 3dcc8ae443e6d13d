"""What the columns of rows hold, told by the model of a row: what typed forms write them as.

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
"""What counts are of."""


class Sort(Enum):
    """What is in a column; how JSON has it, where that is another type."""

    TEXT = "text"
    WHOLE = "whole"
    REAL = "real"
    TRUTH = "truth"
    TEXTS = "texts"
    MOMENT = "moment"
    """Milliseconds since the epoch, as a text."""
    LENGTH = "length"
    """Milliseconds, as a text."""
    COUNTS = "counts"
    """A number for each of ``COUNTED``."""
    PAIRS = "pairs"
    """Pairs of whole numbers: ``[[0, 6], [9, 12]]``."""
    JSON = "json"
    """A value of its own shape: in tables it is a text."""


Columns: TypeAlias = "Mapping[str, Sort | Columns]"
"""The columns of an answer, in their order; of a row within a row, those of the inner one."""


def columns_of(model: type[BaseModel]) -> Columns:
    """Return the columns of a model of rows."""
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
        return _NESTED.get(origin, Sort.TEXT)  # of a choice: one of a few texts
    if issubclass(kind, BaseModel):
        return columns_of(kind)
    return _PLAIN.get(kind, Sort.TEXT)  # as above


_NESTED = {list: Sort.TEXTS, dict: Sort.COUNTS}
_PLAIN = {int: Sort.WHOLE, float: Sort.REAL, bool: Sort.TRUTH}
