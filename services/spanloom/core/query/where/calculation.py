"""Parses comparisons of calculated numbers: ``output_tokens / input_tokens > 2``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.reader import JOINING, KEYWORDS, TokenKind
from spanloom.core.query.where.tree import (
    Arithmetic,
    Calculation,
    Condition,
    Constant,
    Counted,
    Operand,
    Operation,
    Operator,
)
from spanloom.core.query.where.values import UnfitValueError, read_constant
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.query.where.comparison import ComparisonReader, Named
    from spanloom.core.query.where.reader import Token, TokenReader
    from spanloom.core.query.where.tree import Number

_COMPARING = tuple(operator.value for operator in Operator)
_UNITS = {
    FieldType.INTEGER: FieldType.NUMBER,
    FieldType.NUMBER: FieldType.NUMBER,
    FieldType.DURATION: FieldType.DURATION,
}
"""The unit of a field in a calculation, by its type: a plain number, or a duration."""
_NOTHING = Constant(0)


class _Read(NamedTuple):
    """A parsed number of a calculation, its unit, and its first and last token."""

    number: Number
    unit: FieldType | None
    """The unit; ``None`` if the field is unknown, which has been reported as a problem."""
    first: Token
    last: Token


class CalculationReader:
    """Parses calculations, starting at the next token."""

    def __init__(
        self, reader: TokenReader, compare: ComparisonReader, counted: Callable[[], Condition]
    ) -> None:
        """Store the parsers: ``compare`` for fields and operators, ``counted`` for ``count(…)``."""
        self._reader = reader
        self._compare = compare
        self._counted = counted

    def begins_here(self) -> bool:
        """Return whether the next tokens are a calculation, not a condition or plain comparison."""
        here = self._reader.here
        if here.kind is TokenKind.NUMBER:
            return True
        if here.is_sign("("):
            return self._reader.ahead(self._closing(0)).is_sign(*JOINING, *_COMPARING)
        is_count = here.is_word("count") and self._reader.ahead(1).is_sign("(")
        if here.kind is not TokenKind.NAME or (here.text.lower() in KEYWORDS and not is_count):
            return False
        end = self._closing(1) if is_count else self._end_of_name()
        sign = self._reader.ahead(end)
        is_compared = sign.is_sign(*_COMPARING) and self._is_calculated(end + 1, here)
        return sign.is_sign(*JOINING) or is_compared

    def read(self) -> Condition:
        """Parse the comparison of two calculated numbers at the next token."""
        left = self._sum()
        operator = self._compare.order()
        right = self._sum()
        if left.unit and right.unit and left.unit is not right.unit:
            message = "a duration is compared with a duration, 2s; a number with a number"
            self._reader.report(left.first, right.last, message)
        return Calculation(left.number, operator, right.number)

    def _is_calculated(self, at: int, left: Token) -> bool:
        """Return whether the right side of a comparison is a calculation, not a value."""
        value, after = self._reader.ahead(at), self._reader.ahead(at + 1)
        if value.kind is TokenKind.NAME:
            is_field = self._compare.is_number(left) and self._compare.is_field(value)
            is_count = value.is_word("count") and after.is_sign("(")
            return is_count or is_field or after.is_sign(".", *JOINING)
        is_number = value.kind is TokenKind.NUMBER
        return value.is_sign("(") or (is_number and after.is_sign(*JOINING))

    def _end_of_name(self) -> int:
        """Return how many tokens the name of a field has, including its key."""
        end = 1
        while self._reader.ahead(end).is_sign("."):
            end += 2
        return end

    def _closing(self, opening: int) -> int:
        """Return how many tokens ahead the token after the closing bracket is."""
        depth, at = 1, opening
        while depth and self._reader.ahead(at).kind is not TokenKind.END:
            at += 1
            token = self._reader.ahead(at)
            depth += token.is_sign("(") - token.is_sign(")")
        return at + 1

    def _sum(self) -> _Read:
        left = self._product()
        while self._reader.here.is_sign("+", "-"):
            left = self._joined(left, self._reader.take(), self._product())
        return left

    def _product(self) -> _Read:
        left = self._operand()
        while self._reader.here.is_sign("*", "/"):
            left = self._joined(left, self._reader.take(), self._operand())
        return left

    def _joined(self, left: _Read, sign: Token, right: _Read) -> _Read:
        self._reader.count_comparison()
        how, unit = Arithmetic(sign.text), None
        if left.unit and right.unit:
            try:
                unit = _unit_of(how, left.unit, right.unit)
            except UnfitValueError as error:
                self._reader.report(left.first, right.last, str(error))
        return _Read(Operation(left.number, how, right.number), unit, left.first, right.last)

    def _operand(self) -> _Read:
        reader, first = self._reader, self._reader.here
        if reader.takes_sign("("):
            with reader.one_deeper():
                inner = self._sum()
            last = reader.here
            reader.demand_sign(")")
            return inner._replace(first=first, last=last)
        if first.kind is TokenKind.NUMBER:
            return self._constant(reader.take())
        if first.is_word("count"):
            number = Counted(self._counted())
            return _Read(number, FieldType.NUMBER, first, first)
        if first.kind is not TokenKind.NAME or first.text.lower() in KEYWORDS:
            reader.fail("a number is missing here", expected=_EXPECTED)
        return self._field(self._compare.named())

    def _constant(self, token: Token) -> _Read:
        try:
            number, unit = read_constant(token)
        except UnfitValueError as error:
            self._reader.report(token, token, str(error))
            return _Read(_NOTHING, None, token, token)
        return _Read(Constant(number), unit, token, token)

    def _field(self, named: Named) -> _Read:
        field = named.field
        unit = _UNITS.get(field.type) if field and not field.has_keys else None
        if field is not None and unit is None:
            self._reader.report(named.first, named.last, _why_not(field.name, field.type))
        number = Operand(field) if field is not None and unit else _NOTHING
        return _Read(number, unit, named.first, named.last)


_EXPECTED: Sequence[str] = ("a number", "a field", "count", "(")


def _why_not(name: str, kind: FieldType) -> str:
    if kind is FieldType.TIME:
        return f"{name} is a time, which is only compared; durations can be calculated with"
    if kind is FieldType.NUMBER:
        return f"{name} may have several values: it is only compared"
    return f"{name} is no number: it cannot be calculated with"


def _unit_of(how: Arithmetic, left: FieldType, right: FieldType) -> FieldType:
    """Return the unit of a result; raises ``UnfitValueError`` for units that cannot be combined."""
    durations = (left, right).count(FieldType.DURATION)
    if how in (Arithmetic.PLUS, Arithmetic.MINUS) and durations == 1:
        raise UnfitValueError("a number cannot be added to a duration: 2s has a unit, 2 has none")
    if how is Arithmetic.TIMES and durations == 2:  # a product of two durations
        raise UnfitValueError("two durations cannot be multiplied")
    if how is Arithmetic.DIVIDED and right is FieldType.DURATION:
        if left is FieldType.NUMBER:
            raise UnfitValueError("a number cannot be divided by a duration: 5 / (duration / 1s)")
        return FieldType.NUMBER
    return FieldType.DURATION if durations else FieldType.NUMBER
