"""What each field of a ``where`` is in SQL, as ``core/records`` declares it.

Of a step, names such as ``StepName`` are one item of the array ``Steps.Name``: a parameter of a
lambda, or what ``ARRAY JOIN`` gives that name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.fields import Subject
from spanloom.core.records.declared import StoredSteps
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.records.record import Declaration


class Column(NamedTuple):
    """How a field is read."""

    sql: str
    """Its value, never NULL; of a list an array."""
    is_there: str = ""
    """Under which condition it has a value; empty: always."""


def _columns_of(declaration: Declaration) -> Mapping[str, Column]:
    return {
        asked.name: Column(asked.sql, asked.is_there) for asked in declaration.asked if asked.sql
    }


RUN_COLUMNS = _columns_of(RUN)
STEP_COLUMNS = _columns_of(STEP)
COLUMNS: Mapping[Subject, Mapping[str, Column]] = {
    Subject.RUN: RUN_COLUMNS,
    Subject.STEP: STEP_COLUMNS,
}

_ITEMS = {
    f"Step{stored.item}": f"`{stored.column}`"
    for stored in STEP.stored
    if isinstance(stored, StoredSteps)
} | {"StepPlace": "arrayEnumerate(`Steps.Id`)"}
"""Name of an item → the array that it is of."""
_ITEM = re.compile(r"\bStep[A-Z]\w*")


def items_in(sql: str) -> Sequence[tuple[str, str]]:
    """Return the items of steps that an expression names, each with its array.

    No literal is part of it, so whatever looks like one is one.
    """
    return [(name, _ITEMS[name]) for name in dict.fromkeys(_ITEM.findall(sql))]


def joined_items(sql: str) -> str:
    """Return what ``ARRAY JOIN`` makes a row of each step of, for an expression that names some."""
    return ", ".join(f"{array} AS {name}" for name, array in items_in(sql))
