"""The order of a list of runs as SQL: what it goes by, and what comes behind a position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.question import START
from spanloom.storage.engine.conditions import Condition
from spanloom.storage.where.columns import RUN_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.question import Order
    from spanloom.core.query.summaries import Cursor

_PLACE = ("StartTimeUnixNano", "TraceId", "Project")
_TYPES = ("UInt64", "String", "String")


def rank(order: Order) -> Condition:
    """Return the tuple that comes before the start in this order; empty for the start itself."""
    return Condition(f"tuple({', '.join(_ranks(order))})", {})


def ordered(order: Order, after: Cursor | None) -> dict[str, Condition]:
    """Return what ``list_candidates.sql`` takes: the order, and what is behind a position.

    Raises ``InvalidQueryError`` for a position that no list of this order has.
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
    """Return what is compared before the start, so that what has no value comes last."""
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
    if not after.rank:  # said apart, so that the rows before it are not read
        text = f"StartTimeUnixNano {sign}= {places[0]} AND {text}"
    return Condition(text, values)
