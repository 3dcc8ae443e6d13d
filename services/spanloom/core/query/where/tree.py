"""The parsed form of a ``where``: a condition on a run, or on a step.

Every field in the tree exists, and every value has the type of its field.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.where.fields import Field, Value


class Operator(Enum):
    """An operator that compares a field with a value."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    MATCHES = "~"
    MATCHES_NOT = "!~"
    HAS_WORDS = ":"


OPPOSITES = {Operator.NOT_EQUAL: Operator.EQUAL, Operator.MATCHES_NOT: Operator.MATCHES}
"""The negative operators, each with its opposite.

For a list, a negative operator means that no item meets the opposite: ``!=`` means that no item is
equal.
"""


class And(NamedTuple):
    """All of the conditions are true."""

    parts: Sequence[Condition]


class Or(NamedTuple):
    """At least one of the conditions is true."""

    parts: Sequence[Condition]


class Not(NamedTuple):
    """The condition is not true."""

    part: Condition


class Compare(NamedTuple):
    """A comparison of a field with a value: ``duration > 20s``; false if the field has no value."""

    field: Field
    operator: Operator
    value: Value
    key: str = ""
    """The key in the metadata: ``tier`` in ``metadata.tier``."""


class In(NamedTuple):
    """A field has one of several values: ``status in (live, partial)``."""

    field: Field
    values: Sequence[Value]
    key: str = ""


class Exists(NamedTuple):
    """A field has a value: ``conversation exists``; for a flag, the flag is set."""

    field: Field
    key: str = ""


class Words(NamedTuple):
    """A search for words that all occur in the texts of a run: ``"rate limit"``."""

    text: str


class Count(NamedTuple):
    """A comparison of the number of matching steps: ``count(type = tool and error) >= 2``."""

    steps: Condition
    operator: Operator
    number: int


class Arithmetic(Enum):
    """The operation that combines two numbers."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDED = "/"


class Constant(NamedTuple):
    """A number in a calculation; a duration in nanoseconds."""

    number: float


class Operand(NamedTuple):
    """A field in a calculation: a number or a duration."""

    field: Field


class Counted(NamedTuple):
    """The number of the steps that meet a condition."""

    steps: Condition


class Operation(NamedTuple):
    """Two numbers and their operation; no value if either has none, or if the divisor is 0."""

    left: Number
    sign: Arithmetic
    right: Number


class Calculation(NamedTuple):
    """A comparison of calculated numbers: ``output_tokens / input_tokens > 2``."""

    left: Number
    operator: Operator
    right: Number


class Link(NamedTuple):
    """The maximum distance between two consecutive steps, in steps; ``None`` if unlimited."""

    most: int | None


class Chain(NamedTuple):
    """A run has steps in this order: ``has(tool = "search" then tool = "refund")``."""

    steps: Sequence[Condition]
    links: Sequence[Link]
    """The links between the steps, one fewer than the steps."""


class Under(NamedTuple):
    """A run has a step below another step: ``has(tool = "search" under agent = "triage")``."""

    inner: Condition
    outer: Condition
    is_child: bool
    """Whether the step must be directly below the other step: ``child of``."""


Number: TypeAlias = "Constant | Operand | Counted | Operation"
Condition: TypeAlias = (
    "And | Or | Not | Compare | In | Exists | Words | Count | Chain | Under | Calculation"
)


def parts_of(number: Number | Calculation) -> Iterator[Constant | Operand | Counted]:
    """Yield the constants, fields and counts in a calculation, in order."""
    if isinstance(number, Operation | Calculation):
        yield from parts_of(number.left)
        yield from parts_of(number.right)
    else:
        yield number


def calculates(condition: Condition) -> bool:
    """Return whether any part of a condition compares calculated numbers."""
    match condition:
        case Calculation():
            return True
        case And(parts) | Or(parts) | Chain(steps=parts):
            return any(map(calculates, parts))
        case Not(part) | Count(steps=part):
            return calculates(part)
        case Under(inner, outer):
            return calculates(inner) or calculates(outer)
        case _:
            return False


def searches_words(condition: Condition | None) -> bool:
    """Return whether any part of a condition is a full-text search: ``output: "rate limit"``."""
    match condition:
        case Words() | Compare(operator=Operator.HAS_WORDS):
            return True
        case And(parts) | Or(parts) | Chain(steps=parts):
            return any(map(searches_words, parts))
        case Not(part) | Count(steps=part):
            return searches_words(part)
        case Under(inner, outer):
            return searches_words(inner) or searches_words(outer)
        case Calculation():
            counted = (part.steps for part in parts_of(condition) if isinstance(part, Counted))
            return any(map(searches_words, counted))
        case _:
            return False
