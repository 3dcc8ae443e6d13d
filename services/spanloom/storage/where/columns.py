"""The SQL of each field of a ``where``, and the order of a list of runs by one.

For steps, a name such as ``StepName`` is one item of the array ``Steps.Name``: a parameter of a
lambda, or an alias of ``ARRAY JOIN``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.question import START
from spanloom.core.query.where.fields import Subject
from spanloom.core.records.declared import StoredSteps
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP
from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.query.lists import Cursor
    from spanloom.core.query.question import Order
    from spanloom.core.records.declaration import Declaration


class Column(NamedTuple):
    """The SQL that reads a field."""

    sql: str
    """Its value, never NULL; for a list an array."""
    is_there: str = ""
    """The condition that it has a value; empty if it always has one."""


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

_ELSEWHERE = {
    "StepPlace": "arrayEnumerate(`Steps.Id`)",
    "StepOwner": "`Steps.Owner`",
    "StepAgentId": "arrayMap(place -> `Steps.Id`[place], `Steps.Agent`)",
    "StepParentId": "arrayMap(place -> `Steps.Id`[place], `Steps.Parent`)",
}
"""What is not an array of its own: its place, and what another step has, found by its place. It is
looked up before steps become rows: a row that named ``Steps.Name`` would have the names of all
steps of its run, which a filter copies for each row (80 GB for 100,000 steps)."""
_ITEMS = _ELSEWHERE | {
    f"Step{stored.item}": f"`{stored.column}`"
    for stored in STEP.stored
    if isinstance(stored, StoredSteps)
}
"""Name of an item → its array."""
_ITEM = re.compile(r"\bStep[A-Z]\w*")


def items_in(sql: str) -> Sequence[tuple[str, str]]:
    """Return the items of steps that an expression names, each with its array.

    The expression has no literals, so every match is the name of an item.
    """
    return [(name, _ITEMS[name]) for name in dict.fromkeys(_ITEM.findall(sql))]


def joined_items(sql: str) -> str:
    """Return the operands of ``ARRAY JOIN`` for the items of steps that an expression names."""
    return ", ".join(f"{array} AS {name}" for name, array in items_in(sql))


_PLACE = ("StartTimeUnixNano", "TraceId", "Project")
_TYPES = ("UInt64", "String", "String")


def rank(order: Order) -> Condition:
    """Return the tuple of the sort key before the start; empty if ordered by the start itself."""
    return Condition(f"tuple({', '.join(_ranks(order))})", {})


def ordered(order: Order, after: Cursor | None) -> dict[str, Condition]:
    """Return the parts of ``list_candidates.sql``: the order, and the condition after a position.

    Raises ``InvalidQueryError`` for a position that does not fit this order.
    """
    ranks = _ranks(order)
    if after is not None and len(after.rank) != len(ranks):
        raise InvalidQueryError("it is no position in this order; begin without it", "cursor")
    columns = [*ranks, *_PLACE]
    way = "DESC" if order.is_descending else "ASC"
    return {
        "rank": rank(order),
        "order": Condition(", ".join(f"{column} {way}" for column in columns), {}),
        "behind": Condition("true", {}) if after is None else _behind(order, columns, after),
    }


def _ranks(order: Order) -> Sequence[str]:
    """Return the sort key before the start, so that runs without a value come last."""
    if order.field is START:
        return []
    column = RUN_COLUMNS[order.field.name]
    if not column.is_there:
        return [f"({column.sql})"]
    is_there = column.is_there if order.is_descending else f"NOT {column.is_there}"
    return [f"({is_there})", f"if({column.is_there}, {column.sql}, 0)"]


def _behind(order: Order, columns: Sequence[str], after: Cursor) -> Condition:
    kinds = [*("Float64" if isinstance(n, float) else "Int64" for n in after.rank), *_TYPES]
    values = {f"after_{number}": value for number, value in enumerate(after.place)}
    places = [f"{{{name}:{kind}}}" for name, kind in zip(values, kinds, strict=True)]
    sign = "<" if order.is_descending else ">"
    text = f"({', '.join(columns)}) {sign} ({', '.join(places)})"
    if not after.rank:  # stated separately, so that the rows before it are not read
        text = f"StartTimeUnixNano {sign}= {places[0]} AND {text}"
    return Condition(text, values)
