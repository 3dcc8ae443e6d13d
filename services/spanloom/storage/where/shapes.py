"""Compiles shapes of steps to SQL over a run's arrays, with guards checked before them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from spanloom.core.query.where.tree import And, Compare, Exists, Operator
from spanloom.storage.where.columns import items_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.where import tree
    from spanloom.core.query.where.tree import Link
    from spanloom.storage.where.comparisons import Literals


_ZERO = 64
"""The character of a step that meets no predicate; six bits above it are still ASCII."""


def any_step(predicate: str) -> str:
    """Return the condition that a step meets a predicate."""
    return f"arrayExists({_each(predicate)})"


def count_steps(predicate: str) -> str:
    """Return the expression that counts the steps that meet a predicate."""
    return f"arrayCount({_each(predicate)})"


def chain(predicates: Sequence[str], links: Sequence[Link], literals: Literals) -> str:
    """Return the condition that steps meet these predicates, one after the other."""
    steps = f"arrayStringConcat(arrayMap({_each(f'char({_ZERO} + {_bits(predicates)})')}))"
    return f"match({steps}, {literals.text(_pattern(links))})"


def under(inner: str, outer: str) -> str:
    """Return the condition that a step is somewhere below another one.

    In the order of the walk, some inner step comes after the outer one and up to its last.
    """
    bits = f"arrayMap({_each(_bits([inner, outer]))})"
    walked = f"arraySort((bits, met) -> met, {bits}, `Steps.Enter`)"
    met = f"arrayCumSum(bits -> bitAnd(bits, 1), {walked})"
    within = f"bitTest(bits, 1) AND {met}[last] > {met}[own]"
    return f"arrayExists((bits, own, last) -> {within}, {bits}, `Steps.Enter`, `Steps.Exit`)"


def child_of(inner: str, outer: str) -> str:
    """Return the condition that a step is directly below another one."""
    bits = f"arrayMap({_each(_bits([inner, outer]))})"
    below = f"bitTest(bits, 0) AND bitTest({bits}[above], 1)"
    return f"arrayExists((bits, above) -> {below}, {bits}, `Steps.Parent`)"


def _each(expression: str) -> str:
    """Return a lambda over steps, and the arrays that it iterates over."""
    items = items_in(expression) or items_in("StepId")
    names, arrays = (", ".join(side) for side in zip(*items, strict=True))
    return f"({names}) -> {expression}, {arrays}"


def _bits(predicates: Sequence[str]) -> str:
    """Return an expression for a number with one bit for each predicate."""
    return " + ".join(f"{1 << n} * {predicate}" for n, predicate in enumerate(predicates))


def _pattern(links: Sequence[Link]) -> str:
    parts = []
    for bit, link in zip_longest(range(len(links) + 1), links):
        parts += [_having(bit), "" if link is None else _between(link)]
    return "".join(parts)


def _having(bit: int) -> str:
    """Return the character class of those that have the bit, each by its code."""
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
    """Yield conditions that hold for every run with a step that meets this one."""
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
