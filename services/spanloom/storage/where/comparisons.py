"""Compiles comparisons of a field to SQL, never NULL, with literals as parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.tree import Operator
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.where.fields import Value
    from spanloom.core.query.where.tree import Compare, Exists, In
    from spanloom.storage.where.columns import Column


OPPOSITES = {Operator.NOT_EQUAL: Operator.EQUAL, Operator.MATCHES_NOT: Operator.MATCHES}
"""For several values: ``!=`` means that none is equal, the opposite of ``=``, and so on."""


def compare(asked: Compare, column: Column, literals: Literals) -> str:
    """Return the condition of ``duration > 20s`` or ``agent = "refunds"``."""
    if not (asked.field.is_list or asked.field.has_keys):
        value = literals.of(asked.field.type, asked.value)
        return _there(_compared(column.sql, asked.operator, value), column)
    negative = asked.operator in OPPOSITES
    positive = asked._replace(operator=OPPOSITES.get(asked.operator, asked.operator))
    any_of = (_any_under_key if asked.field.has_keys else _any)(positive, column, literals)
    if not negative:
        return any_of
    if asked.field.has_keys:  # an absent value never matches; an empty list has no such item
        return f"({_has_key(asked.key, column, literals)} AND NOT {any_of})"
    return f"(NOT {any_of})"


def is_in(asked: In, column: Column, literals: Literals) -> str:
    """Return the condition of ``status in (live, partial)``."""
    if asked.field.has_keys:
        pairs = literals.list_of(asked.field.type, [f"{asked.key}={v}" for v in asked.values])
        return f"hasAny({column.sql}, {pairs})"
    values = literals.list_of(asked.field.type, asked.values)
    if asked.field.is_list:
        return f"hasAny({column.sql}, {values})"
    return _there(f"has({values}, {column.sql})", column)


def exists(asked: Exists, column: Column, literals: Literals) -> str:
    """Return the condition of ``conversation exists``; for a flag the flag itself."""
    if asked.field.has_keys:
        return _has_key(asked.key, column, literals)
    if asked.field.is_list:
        return f"notEmpty({column.sql})"
    if asked.field.type is FieldType.FLAG:
        return column.sql
    return f"({column.is_there or 'true'})"


def _compared(sql: str, operator: Operator, value: str) -> str:
    if operator is Operator.MATCHES:
        return f"match({sql}, {value})"
    if operator is Operator.MATCHES_NOT:
        return f"NOT match({sql}, {value})"
    return f"{sql} {operator.value} {value}"


def _there(condition: str, column: Column) -> str:
    return f"({condition} AND {column.is_there})" if column.is_there else f"({condition})"


def _any(asked: Compare, column: Column, literals: Literals) -> str:
    value = literals.of(asked.field.type, asked.value)
    if asked.operator is Operator.EQUAL:
        return f"has({column.sql}, {value})"
    return f"arrayExists(item -> {_compared('item', asked.operator, value)}, {column.sql})"


def _any_under_key(asked: Compare, column: Column, literals: Literals) -> str:
    if asked.operator is Operator.EQUAL:
        return f"has({column.sql}, {literals.text(f'{asked.key}={asked.value}')})"
    key, value = literals.text(f"{asked.key}="), literals.of(asked.field.type, asked.value)
    told = _compared(f"substring(item, length({key}) + 1)", asked.operator, value)
    return f"arrayExists(item -> startsWith(item, {key}) AND {told}, {column.sql})"


def _has_key(key: str, column: Column, literals: Literals) -> str:
    return f"arrayExists(item -> startsWith(item, {literals.text(f'{key}=')}), {column.sql})"


TYPES = {
    FieldType.TEXT: "String",
    FieldType.WORDS: "String",
    FieldType.CHOICE: "String",
    FieldType.INTEGER: "Int64",
    FieldType.NUMBER: "Float64",
    FieldType.DURATION: "Int64",
    FieldType.TIME: "Int64",
    FieldType.FLAG: "Bool",
}


class Literals:
    """Names a parameter for each literal, ``p0``, ``p1`` and so on, and keeps its value."""

    def __init__(self, prefix: str = "p") -> None:
        """Begin without literals; two instances in one query need different prefixes."""
        self._prefix = prefix
        self.values: dict[str, object] = {}

    def text(self, value: str) -> str:
        """Return the placeholder for a text in the query: ``{p0:String}``."""
        return self._place("String", value)

    def texts(self, values: Sequence[str]) -> str:
        """Return an expression for an array of texts."""
        return self.list_of(FieldType.TEXT, values)

    def next_name(self) -> str:
        """Return an unused name."""
        return f"{self._prefix}{len(self.values)}"

    def number(self, value: int) -> str:
        """Return the placeholder for a whole number in the query."""
        return self._place("Int64", value)

    def of(self, kind: FieldType, value: Value) -> str:
        """Return the placeholder for a value of a field of this type."""
        is_late = kind is FieldType.TIME and isinstance(value, int) and value >= 2**63
        return self._place("UInt64" if is_late else TYPES[kind], value)

    def list_of(self, kind: FieldType, values: Sequence[Value]) -> str:
        """Return an expression for an array of values, the same for any number of values."""
        return f"JSONExtract({self._place('String', list(values))}, 'Array({TYPES[kind]})')"

    def _place(self, kind: str, value: object) -> str:
        name = self.next_name()
        self.values[name] = value
        return f"{{{name}:{kind}}}"
