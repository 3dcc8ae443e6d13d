"""Compiles comparisons of fields, and patterns of steps such as sequences, to SQL conditions.

A condition is always true or false, never NULL.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from spanloom.core.query.where.tree import OPPOSITES, And, Compare, Exists, Operator
from spanloom.core.records.declared import FieldType
from spanloom.storage.where.columns import items_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.where import tree
    from spanloom.core.query.where.fields import Value
    from spanloom.core.query.where.tree import In, Link
    from spanloom.storage.where.columns import Column


def compare(comparison: Compare, column: Column, literals: Literals) -> str:
    """Return the SQL of a comparison such as ``duration > 20s`` or ``agent = "refunds"``."""
    if not (comparison.field.is_list or comparison.field.has_keys):
        value = literals.of(comparison.field.type, comparison.value)
        return _there(_compared(column.sql, comparison.operator, value), column)
    negative = comparison.operator in OPPOSITES
    positive = comparison._replace(operator=OPPOSITES.get(comparison.operator, comparison.operator))
    any_of = (_any_under_key if comparison.field.has_keys else _any)(positive, column, literals)
    if not negative:
        return any_of
    if comparison.field.has_keys:  # an absent key never matches, unlike an empty list
        return f"({_has_key(comparison.key, column, literals)} AND NOT {any_of})"
    return f"(NOT {any_of})"


def is_in(comparison: In, column: Column, literals: Literals) -> str:
    """Return the SQL of a condition such as ``status in (live, partial)``."""
    if comparison.field.has_keys:
        pairs = literals.list_of(
            comparison.field.type, [f"{comparison.key}={v}" for v in comparison.values]
        )
        return f"hasAny({column.sql}, {pairs})"
    values = literals.list_of(comparison.field.type, comparison.values)
    if comparison.field.is_list:
        return f"hasAny({column.sql}, {values})"
    return _there(f"has({values}, {column.sql})", column)


def exists(comparison: Exists, column: Column, literals: Literals) -> str:
    """Return the SQL of a condition such as ``conversation exists``; for a flag, its value."""
    if comparison.field.has_keys:
        return _has_key(comparison.key, column, literals)
    if comparison.field.is_list:
        return f"notEmpty({column.sql})"
    if comparison.field.type is FieldType.FLAG:
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


def _any(comparison: Compare, column: Column, literals: Literals) -> str:
    value = literals.of(comparison.field.type, comparison.value)
    if comparison.operator is Operator.EQUAL:
        return f"has({column.sql}, {value})"
    return f"arrayExists(item -> {_compared('item', comparison.operator, value)}, {column.sql})"


def _any_under_key(comparison: Compare, column: Column, literals: Literals) -> str:
    if comparison.operator is Operator.EQUAL:
        return f"has({column.sql}, {literals.text(f'{comparison.key}={comparison.value}')})"
    key, value = (
        literals.text(f"{comparison.key}="),
        literals.of(comparison.field.type, comparison.value),
    )
    compared = _compared(f"substring(item, length({key}) + 1)", comparison.operator, value)
    return f"arrayExists(item -> startsWith(item, {key}) AND {compared}, {column.sql})"


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
    """Collects literals as parameters with the names ``p0``, ``p1`` and so on."""

    def __init__(self, prefix: str = "p") -> None:
        """Start without literals; two instances in one query need different prefixes."""
        self._prefix = prefix
        self.values: dict[str, object] = {}

    def text(self, value: str) -> str:
        """Return the placeholder for a text: ``{p0:String}``."""
        return self._place("String", value)

    def texts(self, values: Sequence[str]) -> str:
        """Return an expression for an array of texts."""
        return self.list_of(FieldType.TEXT, values)

    def next_name(self) -> str:
        """Return an unused name."""
        return f"{self._prefix}{len(self.values)}"

    def number(self, value: int) -> str:
        """Add a whole number as a query parameter, and return its placeholder."""
        return self._place("Int64", value)

    def of(self, kind: FieldType, value: Value) -> str:
        """Return the placeholder for a value of a field of this type."""
        is_late = kind is FieldType.TIME and isinstance(value, int) and value >= 2**63
        return self._place("UInt64" if is_late else TYPES[kind], value)

    def list_of(self, kind: FieldType, values: Sequence[Value]) -> str:
        """Return an expression for an array; its text does not depend on the number of values."""
        return f"JSONExtract({self._place('String', list(values))}, 'Array({TYPES[kind]})')"

    def _place(self, kind: str, value: object) -> str:
        name = self.next_name()
        self.values[name] = value
        return f"{{{name}:{kind}}}"


_ZERO = 64
"""The code of a step that meets no predicate; with six bits added it is still ASCII."""


def any_step(predicate: str) -> str:
    """Return the condition that some step of a run meets a predicate."""
    return f"arrayExists({_each(predicate)})"


def count_steps(predicate: str) -> str:
    """Return the expression that counts the steps that meet a predicate."""
    return f"arrayCount({_each(predicate)})"


def chain(predicates: Sequence[str], links: Sequence[Link], literals: Literals) -> str:
    """Return the condition that a run has a sequence of steps, one for each of the predicates.

    ``links`` has the allowed distance between each step of the sequence and the next.
    """
    steps = f"arrayStringConcat(arrayMap({_each(f'char({_ZERO} + {_bits(predicates)})')}))"
    return f"match({steps}, {literals.text(_pattern(links))})"


def under(inner: str, outer: str) -> str:
    """Return the condition that a step meeting ``inner`` is a descendant of one meeting ``outer``.

    In depth-first order, the descendants of a step directly follow the step.
    """
    bits = f"arrayMap({_each(_bits([inner, outer]))})"
    walked = f"arraySort((bits, met) -> met, {bits}, `Steps.Enter`)"
    met = f"arrayCumSum(bits -> bitAnd(bits, 1), {walked})"
    within = f"bitTest(bits, 1) AND {met}[last] > {met}[own]"
    return f"arrayExists((bits, own, last) -> {within}, {bits}, `Steps.Enter`, `Steps.Exit`)"


def child_of(inner: str, outer: str) -> str:
    """Return the condition that a step meeting ``inner`` is a child of one meeting ``outer``."""
    bits = f"arrayMap({_each(_bits([inner, outer]))})"
    below = f"bitTest(bits, 0) AND bitTest({bits}[above], 1)"
    return f"arrayExists((bits, above) -> {below}, {bits}, `Steps.Parent`)"


def _each(expression: str) -> str:
    """Return the arguments of an array function: a lambda over steps, and the arrays it reads."""
    items = items_in(expression) or items_in("StepId")
    names, arrays = (", ".join(side) for side in zip(*items, strict=True))
    return f"({names}) -> {expression}, {arrays}"


def _bits(predicates: Sequence[str]) -> str:
    """Return an expression for a number in which bit ``n`` is set if predicate ``n`` is true."""
    return " + ".join(f"{1 << n} * {predicate}" for n, predicate in enumerate(predicates))


def _pattern(links: Sequence[Link]) -> str:
    parts = []
    for bit, link in zip_longest(range(len(links) + 1), links):
        parts += [_having(bit), "" if link is None else _between(link)]
    return "".join(parts)


def _having(bit: int) -> str:
    """Return a regular expression that matches each step code in which the bit is set."""
    having = (code for code in range(_ZERO, 2 * _ZERO) if code - _ZERO & 1 << bit)
    return "[" + "".join(f"\\x{code:02x}" for code in having) + "]"


def _between(link: Link) -> str:
    if link.most is None:
        return "(?s:.)*"
    return f"(?s:.){{0,{link.most - 1}}}" if link.most > 1 else ""


_ARRAYS = {
    "name": "`Steps.Name`",
    "tool": "`Steps.Name`",
    "agent": "`Steps.Name`",
    "model": "`Steps.Model`",
}


def guards_of(step: tree.Condition, literals: Literals) -> Iterator[str]:
    """Yield fast conditions on runs that are true for each run with a step that meets ``step``."""
    match step:
        case And(parts):
            for part in parts:
                yield from guards_of(part, literals)
        case Compare(field, Operator.EQUAL, value) if field.name in _ARRAYS:
            yield f"has({_ARRAYS[field.name]}, {literals.text(str(value))})"
        case Exists(field) if field.name == "error":
            yield "has(`Steps.HasError`, true)"
        case _:
            return
