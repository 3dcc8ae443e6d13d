"""A question about runs: which of them, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.query.pieces import Piece
from spanloom.core.query.where.fields import RUN_FIELDS, Field
from spanloom.core.query.where.problems import InvalidTextError
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from spanloom.core.query.where.tree import Condition

Rank: TypeAlias = "tuple[int | float, ...]"
"""What a list is ordered by but for the start: whether there is such a value, and the value."""

NUMERIC = (FieldType.INTEGER, FieldType.NUMBER, FieldType.DURATION, FieldType.TIME)
"""What can be ordered by."""


class Order(NamedTuple):
    """By which field a list is ordered, then by start, trace id and project the same way round."""

    field: Field
    is_descending: bool

    def __str__(self) -> str:
        """As it is written: ``-start``."""
        return f"{'-' if self.is_descending else ''}{self.field.name}"


START = RUN_FIELDS["start"]
NEWEST_FIRST = Order(START, is_descending=True)


class Question(NamedTuple):
    """Which runs are asked for, and in which order."""

    where: Condition | None = None
    """``None``: all of them."""
    order: Order = NEWEST_FIRST


ANY_RUN = Question()


def is_orderable(field: Field) -> bool:
    """Return whether lists of runs can be ordered by a field: by a number of its row."""
    return field.type in NUMERIC and not field.is_said


def parse_order(text: str) -> Order:
    """Return the order of ``-duration``, the longest first; raises ``InvalidTextError``."""
    is_descending = text.startswith("-")
    name = Piece(text.removeprefix("-"), int(is_descending))
    orderable = {known.name: known for known in RUN_FIELDS.values() if is_orderable(known)}
    if name.text not in orderable:
        problem = name.wrong(f"runs cannot be ordered by {name.text!r}", orderable)
        raise InvalidTextError(text, [problem], "order")
    return Order(orderable[name.text], is_descending)
