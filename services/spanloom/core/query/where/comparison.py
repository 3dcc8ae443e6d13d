"""Parses single comparisons: ``duration > 20s``, ``status in (live, partial)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.fields import FIELDS, STEP_FIELDS, Field, Subject
from spanloom.core.query.where.problems import resembling
from spanloom.core.query.where.reader import KEYWORDS, MAX_VALUES, TokenKind
from spanloom.core.query.where.tree import Compare, Condition, Exists, In, Not, Operator
from spanloom.core.query.where.values import OPERATORS, UnfitValueError, Written, read_value
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from spanloom.core.query.where.fields import Value
    from spanloom.core.query.where.reader import Token, TokenReader

_SIGNS = {operator.value: operator for operator in Operator}
_ORDER = OPERATORS[FieldType.INTEGER]


class Named(NamedTuple):
    """A field, and the tokens that name it in the text."""

    first: Token
    last: Token
    field: Field | None
    """The field; ``None`` for an unknown name, which has been reported as a problem."""
    key: str


class ComparisonReader:
    """Parses comparisons of fields of runs, or of steps."""

    def __init__(self, reader: TokenReader, subject: Subject, now_ns: int) -> None:
        """Prepare to parse fields of ``subject``; relative times count from ``now_ns``."""
        self._reader = reader
        self._subject = subject
        self._fields = FIELDS[subject]
        self._now_ns = now_ns

    def read(self) -> Condition:
        """Parse the comparison at the next token."""
        named = self.named()
        reader = self._reader
        if reader.takes_word("exists"):
            return self._exists(named)
        if reader.takes_word("not"):
            if not reader.takes_word("in"):
                reader.fail("after a field, not is followed by in", expected=["in"])
            return Not(self._in(named))
        if reader.takes_word("in"):
            return self._in(named)
        if reader.here.text in _SIGNS and reader.here.kind is TokenKind.SIGN:
            return self._compared(named)
        return self._flag(named)

    def is_field(self, token: Token) -> bool:
        """Return whether a token is the name of a field."""
        return token.text in self._fields

    def is_number(self, token: Token) -> bool:
        """Return whether a token is ``count``, or the name of a numeric field."""
        field = self._fields.get(token.text)
        return token.is_word("count") or (field is not None and _is_number(field))

    def order(self) -> Operator:
        """Consume and return the next operator, which must compare numbers."""
        expected = [operator.value for operator in _ORDER]
        if not self._reader.here.is_sign(*_SIGNS):
            self._reader.fail("this is compared with a number", expected=expected)
        sign = self._reader.take()
        if sign.text not in expected:
            message = f"a number cannot be compared by {sign.text}"
            self._reader.report(sign, sign, message, expected=expected)
        return _SIGNS[sign.text]

    def named(self) -> Named:
        """Consume the name of a field and return the field; report an unknown name."""
        first = last = self._reader.here
        if first.kind is not TokenKind.NAME or first.text.lower() in KEYWORDS:
            self._reader.fail("a condition is missing here", expected=["a field", "has", "count"])
        self._reader.take()
        keys = []
        while self._reader.takes_sign("."):
            last = self._reader.take()
            if last.kind not in {TokenKind.NAME, TokenKind.STRING}:
                self._reader.fail("a key is missing after the dot")
            keys.append(last.text)
        field = self._fields.get(first.text)
        if field is None:
            message = f"no {self._subject.value} field {first.text!r}"
            if first.text in STEP_FIELDS:
                message = (
                    f"{first.text} is a field of steps: has({STEP_FIELDS[first.text].example})"
                )
            near = resembling(first.text, self._fields) or resembling(first.text, STEP_FIELDS)
            self._reader.report(first, first, message, near)
        elif bool(keys) is not field.has_keys:
            self._reader.report(first, last, _about_keys(field))
        return Named(first, last, field, ".".join(keys))

    def _compared(self, named: Named) -> Condition:
        sign = self._reader.take()
        operator = _SIGNS[sign.text]
        if named.field is None:
            self._value_of(None, operator)
            return Exists(_UNKNOWN)
        allowed = [known.value for known in OPERATORS[named.field.type]]
        if sign.text not in allowed:
            message = f"{named.field.name} cannot be compared by {sign.text}"
            self._reader.report(sign, sign, message, expected=allowed)
            self._value_of(None, operator)
            return Exists(named.field)
        return Compare(named.field, operator, self._value_of(named.field, operator), named.key)

    def _in(self, named: Named) -> Condition:
        reader, field = self._reader, named.field
        reader.demand_sign("(")
        values = [self._value_of(field, Operator.EQUAL)]
        while reader.takes_sign(","):
            if len(values) == MAX_VALUES:
                reader.fail(f"in takes at most {MAX_VALUES} values")
            values.append(self._value_of(field, Operator.EQUAL))
        reader.demand_sign(")")
        if field is not None and Operator.EQUAL not in OPERATORS[field.type]:
            reader.report(named.first, named.last, f"{field.name} cannot be one of several values")
        return In(field or _UNKNOWN, tuple(values), named.key)

    def _exists(self, named: Named) -> Condition:
        if named.field is not None and named.field.type is FieldType.WORDS:
            message = f"{named.field.name} is asked for words: {named.field.example}"
            self._reader.report(named.first, named.last, message, expected=[":"])
        return Exists(named.field or _UNKNOWN, named.key)

    def _flag(self, named: Named) -> Condition:
        if named.field is not None and named.field.type is not FieldType.FLAG:
            expected = [known.value for known in OPERATORS[named.field.type]]
            message = f"{named.field.name} is compared with something"
            flags = [name for name in (f"has_{named.field.name}",) if name in self._fields]
            self._reader.report(named.first, named.last, message, flags, [*expected, "exists"])
        return Exists(named.field or _UNKNOWN)

    def _value_of(self, field: Field | None, operator: Operator) -> Value:
        token = self._reader.here
        is_keyword = token.kind is TokenKind.NAME and token.text.lower() in KEYWORDS
        if token.kind in {TokenKind.SIGN, TokenKind.END} or is_keyword:
            self._reader.fail("a value is missing here; put texts in quotes")
        self._reader.take()
        try:
            return read_value(Written(token, field or _UNKNOWN, operator, self._now_ns))
        except UnfitValueError as error:
            self._reader.report(token, token, str(error), error.did_you_mean)
            return token.text


def _is_number(field: Field) -> bool:
    return field.type in (FieldType.INTEGER, FieldType.NUMBER, FieldType.DURATION)


def _about_keys(field: Field) -> str:
    if field.has_keys:
        return f"{field.name} is asked by key: {field.example}"
    return f"{field.name} has no keys"


_UNKNOWN = Field("", FieldType.TEXT, "Placeholder for an unknown field.", "")
