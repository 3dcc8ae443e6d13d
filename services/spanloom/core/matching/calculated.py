"""Compiles comparisons of calculated numbers to functions over a row.

All numbers are 64-bit floats, as in SQL, so that the results are rounded as in SQL.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, cast

from spanloom.core.matching.fields import ORDER, read_field
from spanloom.core.query.where.tree import (
    Arithmetic,
    Constant,
    Counted,
    Operand,
    Operation,
    parts_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.matching.row import RunRow, StepRow
    from spanloom.core.query.where.fields import Subject
    from spanloom.core.query.where.tree import Calculation, Condition, Number

    Find: TypeAlias = Callable[[RunRow], Sequence[int]]
    Calculate: TypeAlias = "Callable[[RunRow | StepRow, Counts], float | None]"


@dataclass
class Counts:
    """The positions of the steps that a comparison counted."""

    places: list[int] = field(default_factory=list)


def compare_numbers(
    where: Calculation,
    subject: Subject,
    compile_find: Callable[[Condition], Find] | None = None,
) -> Callable[[RunRow | StepRow, Counts], bool]:
    """Return a function that compares two numbers; it returns false if a number is missing.

    ``compile_find`` compiles the conditions inside ``count``, which is only possible for runs.
    """
    left, right = (_number(side, subject, compile_find) for side in (where.left, where.right))
    compare = ORDER[where.operator]

    def holds(row: RunRow | StepRow, counts: Counts) -> bool:
        one, other = left(row, counts), right(row, counts)
        return one is not None and other is not None and compare(one, other)

    return holds


def operands_of(where: Calculation) -> Iterator[Operand]:
    """Yield the fields of a calculation."""
    return (part for part in parts_of(where) if isinstance(part, Operand))


def _number(
    of: Number, subject: Subject, compile_find: Callable[[Condition], Find] | None
) -> Calculate:
    match of:
        case Constant(number):
            return lambda _row, _counts: float(number)
        case Operand(named):
            read = read_field(named, "", subject)
            return lambda row, _counts: None if (one := read(row)) is None else float(one[0])
        case Counted(steps):
            return _counted(steps, compile_find)
        case Operation(left, sign, right):
            sides = _number(left, subject, compile_find), _number(right, subject, compile_find)
            return _joined(*sides, sign)


def _counted(steps: Condition, compile_find: Callable[[Condition], Find] | None) -> Calculate:
    if compile_find is None:
        raise TypeError("a step has no steps to count")
    find = compile_find(steps)

    def count(row: RunRow | StepRow, counts: Counts) -> float:
        found = find(cast("RunRow", row))
        counts.places += found
        return float(len(found))

    return count


def _joined(left: Calculate, right: Calculate, sign: Arithmetic) -> Calculate:
    join = _JOIN[sign]

    def joined(row: RunRow | StepRow, counts: Counts) -> float | None:
        one, other = left(row, counts), right(row, counts)
        return None if one is None or other is None else join(one, other)

    return joined


def _divide(one: float, other: float) -> float | None:
    return one / other if other else None


_JOIN: Mapping[Arithmetic, Callable[[float, float], float | None]] = {
    Arithmetic.PLUS: operator.add,
    Arithmetic.MINUS: operator.sub,
    Arithmetic.TIMES: operator.mul,
    Arithmetic.DIVIDED: _divide,
}
