"""The fields of runs and steps that a ``where`` can name, as declared in ``core/records``.

The parser, the documentation and completion are derived from these fields;
``storage/where/columns.py`` has their SQL. A new field is declared in ``core/records``.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.records.declaration import Declaration

Value: TypeAlias = "str | int | float | bool"
"""A value; durations and times are in nanoseconds, times since the epoch."""


class Field(NamedTuple):
    """One field of runs or of steps."""

    name: str
    type: FieldType
    description: str
    example: str
    """An example of a comparison with the field, as text."""
    is_list: bool = False
    """Whether the field has several values; a comparison is true if it is true for any value."""
    choices: Sequence[str] = ()
    has_keys: bool = False
    """Whether the field is a mapping, whose keys follow a dot: ``metadata.tier``."""
    is_judgement: bool = False
    """Whether the value comes from annotations or scores, in other tables; only for filters."""


class Subject(Enum):
    """The kind of record to which a field belongs: a run or a step."""

    RUN = "run"
    STEP = "step"


def _fields_of(declaration: Declaration) -> Mapping[str, Field]:
    return {
        queried.name: Field(
            queried.name,
            queried.type or FieldType.TEXT,
            queried.description,
            queried.example,
            queried.is_list,
            queried.choices,
            queried.has_keys,
            queried.is_judgement,
        )
        for queried in declaration.queried
    }


RUN_FIELDS = _fields_of(RUN)
"""Fields of a run by name."""
STEP_FIELDS = _fields_of(STEP)
"""Fields of a step by name."""
FIELDS: Mapping[Subject, Mapping[str, Field]] = {
    Subject.RUN: RUN_FIELDS,
    Subject.STEP: STEP_FIELDS,
}
