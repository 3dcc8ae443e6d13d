"""Builds the SQL that orders a list of runs or steps, and that continues it after a position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.selection import START
from spanloom.storage.engine.parameters import Condition
from spanloom.storage.where.columns import RUN_COLUMNS, STEP_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.ports.steps import StepCursor
    from spanloom.core.query.lists import Cursor
    from spanloom.core.query.selection import Order
    from spanloom.storage.where.columns import Column

_PLACE = ("StartTimeUnixNano", "TraceId", "Project")
_TYPES = ("UInt64", "String", "String")


def rank(order: Order) -> Condition:
    """Return the SQL tuple of the sort key before a run's start; empty if sorted by start."""
    return _tuple(_ranks(order, RUN_COLUMNS))


def ordered(order: Order, after: Cursor | None) -> dict[str, Condition]:
    """Return the SQL with which ``list_candidates.sql`` sorts runs and continues a list.

    The keys are ``rank`` (the sort key), ``order`` (the ORDER BY) and ``later`` (the condition on
    runs after the position). Raises ``InvalidQueryError`` for a position in another order.
    """
    ranks = _ranks(order, RUN_COLUMNS)
    columns = [*ranks, *_PLACE]
    later = Condition("true", {})
    if after is not None:
        _refuse_another(len(after.rank), len(ranks))
        later = _after(order, columns, after.place, [*map(_kind, after.rank), *_TYPES])
        if not ranks:  # a separate condition, so that the engine skips the rows before it
            sign = "<=" if order.is_descending else ">="
            first = f"StartTimeUnixNano {sign} {{after_0:UInt64}}"
            later = Condition(f"{first} AND {later.text}", later.values)
    return {"rank": rank(order), "order": _each(order, columns), "later": later}


def steps_ordered(order: Order, after: StepCursor | None) -> dict[str, Condition]:
    """Return the SQL with which ``top_steps.sql`` sorts steps by a value and continues a list.

    The keys are ``rank`` (the sort key), ``order`` (the ORDER BY) and ``later`` (the condition on
    steps after the position). Of two steps of a run with equal values, the earlier comes first,
    both in ascending and in descending order. Raises the same error as ``ordered``.
    """
    ranks = _ranks(order, STEP_COLUMNS)
    sign = -1 if order.is_descending else 1
    columns = [*ranks, *_PLACE, f"{sign} * toInt64(StepPlace)"]
    later = Condition("true", {})
    if after is not None:
        _refuse_another(len(after.rank), len(ranks))
        place = [*after.rank, *after[:3], sign * (after.position + 1)]
        later = _after(order, columns, place, [*map(_kind, after.rank), *_TYPES, "Int64"])
    return {"rank": _tuple(ranks), "order": _each(order, columns), "later": later}


def run_by_run(order: Order) -> Condition:
    """Return the ORDER BY of a list of steps: by the start of their runs, then by position."""
    return Condition(f"{_each(order, _PLACE).text}, StepPlace ASC", {})


def _refuse_another(given: int, wanted: int) -> None:
    if given != wanted:
        raise InvalidQueryError("it is no position in this order; begin without it", "cursor")


def _tuple(columns: Sequence[str]) -> Condition:
    return Condition(f"tuple({', '.join(columns)})", {})


def _each(order: Order, columns: Sequence[str]) -> Condition:
    way = "DESC" if order.is_descending else "ASC"
    return Condition(", ".join(f"{column} {way}" for column in columns), {})


def _ranks(order: Order, of: Mapping[str, Column]) -> Sequence[str]:
    """Return the SQL of the sort key before a run's start; missing values come last."""
    if order.field is START:
        return []
    column = of[order.field.name]
    if not column.is_there:
        return [f"({column.sql})"]
    is_there = column.is_there if order.is_descending else f"NOT {column.is_there}"
    return [f"({is_there})", f"if({column.is_there}, {column.sql}, 0)"]


def _kind(number: float) -> str:
    if isinstance(number, float):
        return "Float64"
    return "Int64" if number < 2**63 else "UInt64"


def _after(
    order: Order, columns: Sequence[str], place: Sequence[object], kinds: Sequence[str]
) -> Condition:
    values = {f"after_{number}": value for number, value in enumerate(place)}
    places = [f"{{{name}:{kind}}}" for name, kind in zip(values, kinds, strict=True)]
    sign = "<" if order.is_descending else ">"
    return Condition(f"({', '.join(columns)}) {sign} ({', '.join(places)})", values)
