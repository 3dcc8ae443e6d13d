"""Parses the values after an operator according to the type of the field."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spanloom.core.query.patterns import compile_pattern
from spanloom.core.query.where.problems import InvalidTextError, resembling
from spanloom.core.query.where.reader import MAX_REGEX_CHARS, MAX_WORDS, TokenKind
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.core.query.where.tree import Operator
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.query.where.fields import Field, Value
    from spanloom.core.query.where.reader import Token

NumberT = TypeVar("NumberT", int, float)

_UNITS_NS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
}
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)([A-Za-z]*)")
_BEYOND_RE2 = re.compile(r"\(\?(?:=|!|<=|<!|P=)|\\[1-9]")
MAX_INTEGER = 2**63 - 1

_EQUALITY = (Operator.EQUAL, Operator.NOT_EQUAL)
_PATTERNS = (Operator.MATCHES, Operator.MATCHES_NOT)
_ORDER = (Operator.LESS, Operator.AT_MOST, Operator.MORE, Operator.AT_LEAST)
OPERATORS: dict[FieldType, Sequence[Operator]] = {
    FieldType.TEXT: (*_EQUALITY, *_PATTERNS),
    FieldType.WORDS: (Operator.HAS_WORDS,),
    FieldType.CHOICE: _EQUALITY,
    FieldType.INTEGER: (*_EQUALITY, *_ORDER),
    FieldType.NUMBER: (*_EQUALITY, *_ORDER),
    FieldType.DURATION: (*_EQUALITY, *_ORDER),
    FieldType.TIME: (*_EQUALITY, *_ORDER),
    FieldType.FLAG: _EQUALITY,
}
"""The operators that each field type allows."""


class UnfitValueError(ValueError):
    """Raised if a value is not valid for its field."""

    def __init__(self, message: str, did_you_mean: Sequence[str] = ()) -> None:
        """Store the message, and the known values that resemble the wrong value."""
        super().__init__(message)
        self.did_you_mean = did_you_mean


class Written(NamedTuple):
    """A value as written, with its field and operator."""

    token: Token
    field: Field
    operator: Operator
    now_ns: int
    """The time from which ``-24h`` counts back."""


def read_value(written: Written) -> Value:
    """Return the value in the type of its field; raises ``UnfitValueError``."""
    return _READERS[written.field.type](written)


def read_words(text: str) -> str:
    """Check the words to search for; raises ``UnfitValueError`` if there are none or too many."""
    count = len(re.findall(r"\w+", text))
    if not count:
        raise UnfitValueError("there is no word in this text")
    if count > MAX_WORDS:
        raise UnfitValueError(f"{count} words; at most {MAX_WORDS} can be looked for at once")
    try:
        parse_text_query(text)
    except InvalidTextError as error:
        raise UnfitValueError(error.problems[0].message) from None
    return text


def read_integer(token: Token, at_least: int = -MAX_INTEGER, at_most: int = MAX_INTEGER) -> int:
    """Return a whole number of at most 64 bits; raises ``UnfitValueError``."""
    if token.kind is not TokenKind.NUMBER or not token.text.lstrip("-").isdecimal():
        raise UnfitValueError("this needs a whole number: 5")
    if int(token.text[:20]) < at_least:
        raise UnfitValueError(f"this takes at least {at_least}")
    if at_most < MAX_INTEGER and int(token.text[:20]) > at_most:
        raise UnfitValueError(f"this takes at most {at_most}")
    return _bounded(int(token.text) if len(token.text) < 20 else MAX_INTEGER + 1)


def read_constant(token: Token) -> tuple[float, FieldType]:
    """Return the value of a number in a calculation, and its unit: plain number or duration.

    Raises ``UnfitValueError``.
    """
    found = _NUMBER.fullmatch(token.text)
    number, unit = found.groups() if found else ("0", token.text)
    if unit and unit not in _UNITS_NS:
        raise UnfitValueError(f"{unit!r} is no unit; units are {', '.join(_UNITS_NS)}")
    value = _bounded(float(number) * _UNITS_NS.get(unit, 1))
    return value, FieldType.DURATION if unit else FieldType.NUMBER


def _text(written: Written) -> str:
    token = written.token
    if token.kind is TokenKind.SIGN:
        raise UnfitValueError(f'{written.field.name} takes a text: "{written.field.name}"')
    return _pattern(token.text) if written.operator in _PATTERNS else token.text


def _pattern(regex: str) -> str:
    if len(regex) > MAX_REGEX_CHARS:
        raise UnfitValueError(f"a pattern has at most {MAX_REGEX_CHARS} characters")
    if beyond := _BEYOND_RE2.search(regex):
        raise UnfitValueError(f"{beyond.group()} is not known here: patterns are RE2's")
    try:
        compile_pattern(regex)
    except ValueError as error:
        raise UnfitValueError(f"this is no pattern: {error}") from None
    return regex


def _words(written: Written) -> str:
    return read_words(_text(written))


def _choice(written: Written) -> str:
    choice, choices = written.token.text, written.field.choices
    if choice not in choices:
        message = f"{written.field.name} is never {choice!r}; it is one of {', '.join(choices)}"
        raise UnfitValueError(message, resembling(choice, choices))
    return choice


def _integer(written: Written) -> int:
    return read_integer(written.token)


def _number(written: Written) -> float:
    found = _NUMBER.fullmatch(written.token.text)
    if written.token.kind is not TokenKind.NUMBER or found is None or found.group(2):
        raise UnfitValueError(f"{written.field.name} is a number: 0.05")
    return float(found.group(1))


def _duration(written: Written) -> int:
    found = _NUMBER.fullmatch(written.token.text)
    if written.token.kind is not TokenKind.NUMBER or found is None:
        raise UnfitValueError(f"{written.field.name} is a duration: 200ms, 1.5s, 2m, 7d")
    number, unit = found.groups()
    if unit not in _UNITS_NS:
        wrong = f"{unit!r} is no unit" if unit else "a duration has a unit"
        raise UnfitValueError(f"{wrong}; units are {', '.join(_UNITS_NS)}")
    return _bounded(round(float(number) * _UNITS_NS[unit]))


def _time(written: Written) -> int:
    if written.token.kind is TokenKind.NUMBER:
        return max(written.now_ns + _duration(written), 0)
    try:
        moment = datetime.fromisoformat(written.token.text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UnfitValueError(
            f'{written.field.name} is a time with its zone, "2026-01-31T12:00:00Z", or before now,'
            " -24h"
        )
    return round(moment.timestamp() * 10**6) * 1000


def _flag(written: Written) -> bool:
    if not written.token.is_word("true", "false"):
        raise UnfitValueError(f"{written.field.name} is true or false")
    return written.token.is_word("true")


def _bounded(number: NumberT) -> NumberT:
    if abs(number) > MAX_INTEGER:
        raise UnfitValueError("this number is too large")
    return number


_READERS: dict[FieldType, Callable[[Written], Value]] = {
    FieldType.TEXT: _text,
    FieldType.WORDS: _words,
    FieldType.CHOICE: _choice,
    FieldType.INTEGER: _integer,
    FieldType.NUMBER: _number,
    FieldType.DURATION: _duration,
    FieldType.TIME: _time,
    FieldType.FLAG: _flag,
}
