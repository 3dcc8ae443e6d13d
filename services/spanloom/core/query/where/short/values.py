"""Translates the value of a comparison in short form: ``10k`` is 10000."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from spanloom.core.query.where.fields import Field
    from spanloom.core.query.where.short.terms import Term

_TIMES = {"k": 10**3, "m": 10**6, "g": 10**9}
_PLAIN = re.compile(r"([\"']?)([-\w.]+)\1", re.ASCII)
_MANY = re.compile(r"(-?\d+(?:\.\d+)?)([kmg])", re.IGNORECASE | re.ASCII)
_AGO = re.compile(r"-?\d+[a-z]+", re.IGNORECASE | re.ASCII)


def written(term: Term, field: Field | None) -> str:
    """Return a comparison with its value written for its field; ``None`` for an unknown field."""
    is_words = field is None or field.type is FieldType.WORDS
    sign = "=" if term.operator == ":" and not is_words else term.operator
    value = _value_of(term.value, field.type if field else FieldType.TEXT)
    return f"{term.name}{term.key}{'' if sign == ':' else ' '}{sign} {value}"


def quoted(text: str) -> str:
    """Return a text quoted as in a ``where``."""
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text).replace("\n", "\\n")
    return f'"{escaped}"'


def _value_of(value: str, kind: FieldType) -> str:
    """Return a value as written in a ``where``: only texts and points of time are quoted."""
    is_quoted = value[0] in "\"'"
    if kind in (FieldType.TEXT, FieldType.WORDS):
        return value if is_quoted else quoted(value)
    if kind is FieldType.TIME:
        return value if is_quoted or _AGO.fullmatch(value) else quoted(value)
    plain = _PLAIN.fullmatch(value)
    if plain and kind in (FieldType.INTEGER, FieldType.NUMBER):
        return _number(plain[2])
    return plain[2] if plain else value if is_quoted else quoted(value)


def _number(text: str) -> str:
    many = _MANY.fullmatch(text)
    if many is None:
        return text
    number = round(float(many[1]) * _TIMES[many[2].lower()], 6)
    return str(int(number)) if number.is_integer() else str(number)
