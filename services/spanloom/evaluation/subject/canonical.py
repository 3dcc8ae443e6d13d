"""Writes canonical texts, equal for equal JSON values, to compare and hash them.

Numbers are equal by value (``1`` and ``1.0``), booleans are not numbers, and the order of members
is ignored. Values are walked without recursion, so they may be nested to any depth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from spanloom.evaluation.contract.errors import TooLargeError

MAX_VALUES = 2_000_000
"""Maximum values walked in one judgement; a value that contains itself would be endless."""
_LONG = 256
"""Minimum characters of a text that is replaced by its hash."""
_SMALL = 10**18


class _Piece(str):
    """A finished fragment of the text."""

    __slots__ = ()


@dataclass
class Budget:
    """The number of values that may still be walked."""

    left: int = MAX_VALUES

    def spend(self, count: int) -> None:
        """Spend a number of values; raises ``TooLargeError`` if too few are left."""
        self.left -= count
        if self.left < 0:
            raise TooLargeError(f"the arguments have more than {MAX_VALUES:,} values")


def canonical(value: object, budget: Budget | None = None) -> str:
    """Return a text that is equal for two values if and only if they are equal as JSON.

    Raises ``TooLargeError`` when the budget is spent.
    """
    budget = budget or Budget()
    out: list[str] = []
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is _Piece:
            out.append(item)  # type: ignore[arg-type]  # it is a text
        elif kind is dict:
            budget.spend(len(item))  # type: ignore[arg-type]
            out.append("{")
            _push_object(stack, item)  # type: ignore[arg-type]
        elif kind is list or kind is tuple:
            budget.spend(len(item))  # type: ignore[arg-type]
            out.append("[")
            stack.append(_Piece("]"))
            stack.extend(reversed(item))  # type: ignore[call-overload]
        else:
            out.append(_scalar(item))
    return " ".join(out)


def _push_object(stack: list[object], value: dict[Any, Any]) -> None:  # JSON values
    stack.append(_Piece("}"))
    try:
        keys = sorted(value, reverse=True)
    except TypeError:  # a Python value that is not JSON
        keys = sorted(value, key=repr, reverse=True)
    for key in keys:
        stack.append(value[key])
        stack.append(_Piece(_scalar(key)))


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return repr(value) if len(value) < _LONG else _hash(value)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value) or not value.is_integer():
            return repr(value)
        value = int(value)
    if isinstance(value, int):
        return str(value) if -_SMALL < value < _SMALL else hex(value)
    return f"{type(value).__name__}:{value!r}"


def _hash(text: str) -> str:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{len(text)}~{digest}"
