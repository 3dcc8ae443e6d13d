"""Parses selections of runs: conditions from filters, and orders.

An order of steps has the same syntax, with the fields of steps.

Filters are short forms of a ``where``::

    condition_of({"agent": "planner", "since": 5})     agent = "planner" and start >= 5 ns
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from spanloom.core.query.where.fields import FIELDS, RUN_FIELDS, Field, Subject
from spanloom.core.query.where.problems import InvalidTextError, Piece
from spanloom.core.query.where.tree import And, Compare, Operator
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run_filters import run_shorts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.query.where.tree import Condition

Rank: TypeAlias = "tuple[int | float, ...]"
"""The first sort key, before the start: whether the ordering field has a value, and the value."""

NUMERIC = (FieldType.INTEGER, FieldType.NUMBER, FieldType.DURATION, FieldType.TIME)
"""The field types by which lists can be ordered."""


class Order(NamedTuple):
    """The field by which a list is ordered, and the direction.

    Equal values are ordered by start, trace id and project in the same direction. Steps are ordered
    by the start of their run, and finally by their position in it, ascending.
    """

    field: Field
    is_descending: bool

    def __str__(self) -> str:
        """Return the order as text: ``-start``."""
        return f"{'-' if self.is_descending else ''}{self.field.name}"


START = RUN_FIELDS["start"]
NEWEST_FIRST = Order(START, is_descending=True)


class RunSelection(NamedTuple):
    """The condition that selects the runs to list, and the order."""

    where: Condition | None = None
    """The condition; ``None`` selects all runs."""
    order: Order = NEWEST_FIRST


ANY_RUN = RunSelection()


def is_orderable(field: Field) -> bool:
    """Return whether lists can be ordered by a field: it is a number, and not a judgement."""
    return field.type in NUMERIC and not field.is_judgement


def orders_of(of: Subject) -> Mapping[str, Field]:
    """Return the fields by which runs or steps can be ordered; ``start`` is the run's start."""
    return {field.name: field for field in (START, *FIELDS[of].values()) if is_orderable(field)}


def parse_order(text: str, of: Subject = Subject.RUN) -> Order:
    """Parse an order such as ``-duration`` (longest first), for runs or steps.

    ``start`` orders steps by the start of their runs. Raises ``InvalidTextError``.
    """
    is_descending = text.startswith("-")
    name = Piece(text.removeprefix("-"), int(is_descending))
    orderable = orders_of(of)
    if name.text not in orderable:
        problem = name.wrong(f"{of.value}s cannot be ordered by {name.text!r}", orderable)
        raise InvalidTextError(text, [problem], "order")
    return Order(orderable[name.text], is_descending)


def condition_of(filters: Mapping[str, object]) -> Condition | None:
    """Convert filters to a condition; ``None`` if there are none. Times are in ns."""
    return all_of(*_parts(filters))


def all_of(*conditions: Condition | None) -> Condition | None:
    """Join conditions with ``and``; ``None`` is a condition that is always true."""
    parts = [condition for condition in conditions if condition is not None]
    return And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None)


def _parts(filters: Mapping[str, object]) -> Iterator[Compare]:
    for name, short in run_shorts().items():
        if (value := filters.get(name)) is not None:
            plain: Any = value.value if isinstance(value, Enum) else value
            yield Compare(RUN_FIELDS[short.field or name], Operator(short.sign), plain)
