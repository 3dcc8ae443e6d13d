"""The SQL of each field of a ``where``.

For steps, a name such as ``StepName`` is one item of the array ``Steps.Name``: a parameter of a
lambda, or an alias of ``ARRAY JOIN``.
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

    from spanloom.core.records.declaration import Declaration


class Column(NamedTuple):
    """The SQL that reads a field."""

    sql: str
    """The field's value, never NULL; an array for a list."""
    is_there: str = ""
    """The condition that the field has a value; empty if it always has one."""


def _columns_of(declaration: Declaration) -> Mapping[str, Column]:
    return {
        queried.name: Column(queried.sql, queried.is_there)
        for queried in declaration.queried
        if queried.sql
    }


RUN_COLUMNS = _columns_of(RUN)
STEP_COLUMNS = _columns_of(STEP)
COLUMNS: Mapping[Subject, Mapping[str, Column]] = {
    Subject.RUN: RUN_COLUMNS,
    Subject.STEP: STEP_COLUMNS,
}

_ELSEWHERE = {
    "StepPlace": "arrayEnumerate(`Steps.Id`)",
    "StepOwner": "`Steps.Owner`",
    "StepAgentId": "arrayMap(place -> `Steps.Id`[place], `Steps.Agent`)",
    "StepParentId": "arrayMap(place -> `Steps.Id`[place], `Steps.Parent`)",
}
"""The SQL of items without a column: the position of a step, and values looked up by position.

The values are looked up before steps become rows, because a row that named ``Steps.Name`` would
have the names of all steps of its run, which a filter copies for each row (80 GB for 100,000
steps).
"""
_ITEMS = _ELSEWHERE | {
    f"Step{stored.item}": f"`{stored.column}`"
    for stored in STEP.stored
    if isinstance(stored, StoredSteps)
}
"""The SQL of the array for each item, keyed by the item's name."""
_ITEM = re.compile(r"\bStep[A-Z]\w*")


def items_in(sql: str) -> Sequence[tuple[str, str]]:
    """Return the names of step items in an SQL expression, each with the SQL of its array.

    Searching the text for names such as ``StepName`` is safe, because all literals are parameters.
    """
    return [(name, _ITEMS[name]) for name in dict.fromkeys(_ITEM.findall(sql))]


def joined_items(sql: str) -> str:
    """Return the operands of ``ARRAY JOIN`` for the items of steps that an expression names."""
    return ", ".join(f"{array} AS {name}" for name, array in items_in(sql))
