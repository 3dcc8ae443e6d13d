"""Every field that a ``where`` can name, of runs and of steps, as their records declare them.

The parser, the documentation and completion are made from these; their SQL is in
``storage/where/columns.py``. A new field is declared in ``core/records``.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.records.record import Declaration

Value: TypeAlias = "str | int | float | bool"
"""Durations and times are nanoseconds, times since the epoch."""


class Field(NamedTuple):
    """One field of runs or of steps."""

    name: str
    type: FieldType
    description: str
    example: str
    """A comparison with it, as it is written."""
    is_list: bool = False
    """Whether it has several values; then one that meets the condition is enough."""
    choices: Sequence[str] = ()
    has_keys: bool = False
    """Whether it is a mapping, asked by key: ``metadata.tier``."""
    is_said: bool = False
    """Whether people and evaluators say it: it is kept apart from the run, to be asked for only."""


class Subject(Enum):
    """What the fields are fields of."""

    RUN = "run"
    STEP = "step"


def _fields_of(declaration: Declaration) -> Mapping[str, Field]:
    return {
        asked.name: Field(
            asked.name,
            asked.type or FieldType.TEXT,
            asked.description,
            asked.example,
            asked.is_list,
            asked.choices,
            asked.has_keys,
            asked.is_said,
        )
        for asked in declaration.asked
    }


RUN_FIELDS = _fields_of(RUN)
"""What can be asked of a run."""
STEP_FIELDS = _fields_of(STEP)
"""What can be asked of a step."""
FIELDS: Mapping[Subject, Mapping[str, Field]] = {
    Subject.RUN: RUN_FIELDS,
    Subject.STEP: STEP_FIELDS,
}
