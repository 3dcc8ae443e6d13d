"""A question about runs: which of them, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.query.where.fields import RUN_FIELDS, Field
from spanloom.core.query.where.problems import InvalidTextError, Piece
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from spanloom.core.query.where.tree import Condition

Rank: TypeAlias = "tuple[int | float, ...]"
"""The sort key before the start: whether there is such a value, and the value."""

NUMERIC = (FieldType.INTEGER, FieldType.NUMBER, FieldType.DURATION, FieldType.TIME)
"""The field types that lists can be ordered by."""


class Order(NamedTuple):
    """The field that orders a list, then start, trace id and project in the same direction."""

    field: Field
    is_descending: bool

    def __str__(self) -> str:
        """Return the order as text: ``-start``."""
        return f"{'-' if self.is_descending else ''}{self.field.name}"


START = RUN_FIELDS["start"]
NEWEST_FIRST = Order(START, is_descending=True)


class Question(NamedTuple):
    """Which runs to list, and in which order."""

    where: Condition | None = None
    """``None``: all of them."""
    order: Order = NEWEST_FIRST


ANY_RUN = Question()


def is_orderable(field: Field) -> bool:
    """Return whether lists of runs can be ordered by a field: a number in the row of a run."""
    return field.type in NUMERIC and not field.is_said


def parse_order(text: str) -> Order:
    """Return the order of a text such as ``-duration``, longest first.

    Raises ``InvalidTextError``.
    """
    is_descending = text.startswith("-")
    name = Piece(text.removeprefix("-"), int(is_descending))
    orderable = {known.name: known for known in RUN_FIELDS.values() if is_orderable(known)}
    if name.text not in orderable:
        problem = name.wrong(f"runs cannot be ordered by {name.text!r}", orderable)
        raise InvalidTextError(text, [problem], "order")
    return Order(orderable[name.text], is_descending)
