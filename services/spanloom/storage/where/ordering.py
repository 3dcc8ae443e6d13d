"""The order of a list of runs as SQL: its sort key, and the condition after a position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.question import START
from spanloom.storage.engine.conditions import Condition
from spanloom.storage.where.columns import RUN_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.lists import Cursor
    from spanloom.core.query.question import Order

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
