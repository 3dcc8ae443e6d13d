"""Fits the steps of a run into a number of tokens, and says which share of it is left.

In turn: long results are cut in the middle, old results and then old texts become one line, and at
last steps between the first and the last ones are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.judge.port import estimated_tokens
from spanloom.evaluation.judge.texts import LINE, cut_middle, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.evaluation.judge.steps import Line, Told

_LENGTHS = (16_000, 8_000, 4_000, 2_000, 1_000)
"""Characters of a result, tried in turn."""
_RECENT = 6
"""Lines at the end that are shortened last."""
_HEAD = 2_000
"""Characters of calls in one line, in a run that is too long."""


class Fitted(NamedTuple):
    """The steps as text."""

    text: str
    coverage: float
    """The share of their characters that is in it, 0 to 1."""


def fit(told: Told, tokens: int) -> Fitted:
    """Return the steps in at most about ``tokens``."""
    lines = list(told.lines)
    if sum(estimated_tokens(line.head) for line in lines) > tokens:
        return _ends(lines, told, tokens)
    for most in (None, *_LENGTHS):
        if most is not None:
            lines = [_cut(line, most) if line.is_result else line for line in lines]
        if _tokens(lines) <= tokens:
            return _fitted(lines, told)
    for may in (_is_result, _is_any):
        lines = _shorten(lines, tokens, may)
        if _tokens(lines) <= tokens:
            return _fitted(lines, told)
    return _ends(lines, told, tokens)


def _is_result(line: Line) -> bool:
    return line.is_result


def _is_any(_: Line) -> bool:
    return True


def _shorten(lines: Sequence[Line], tokens: int, may: Callable[[Line], bool]) -> list[Line]:
    """Cut texts to one line, the oldest first, until the rest fits."""
    total = _tokens(lines)
    made = list(lines)
    old = len(lines) - _RECENT
    for at, line in enumerate(lines):
        if total <= tokens or (at >= old and may is _is_result):
            break
        if may(line) and len(line.text) > LINE:
            made[at] = line._replace(text=one_line(line.text))
            total += _size(made[at]) - _size(line)
    return made


def _ends(lines: Sequence[Line], told: Told, tokens: int) -> Fitted:
    """Return lines from both ends in turn, as many as fit, each of them short."""
    left, first, last = tokens - 20, 0, len(lines)
    begin: list[Line] = []
    end: list[Line] = []
    while first < last:
        is_first = len(begin) <= len(end)
        line = _short(lines[first if is_first else last - 1])
        left -= _size(line)
        if left < 0:
            break
        (begin if is_first else end).append(line)
        first, last = (first + 1, last) if is_first else (first, last - 1)
    kept = [*begin, *reversed(end)]
    shown = [_shown(line) for line in kept]
    shown.insert(first, f"[{last - first} lines of steps left out]")
    return Fitted("\n".join(shown), _coverage(kept, told))


def _short(line: Line) -> Line:
    return line._replace(head=cut_middle(line.head, _HEAD), text=one_line(line.text))


def _fitted(lines: Sequence[Line], told: Told) -> Fitted:
    return Fitted("\n".join(map(_shown, lines)), _coverage(lines, told))


def _coverage(lines: Sequence[Line], told: Told) -> float:
    """Return the share of the characters of all lines that these have."""
    whole = told.left_out + sum(len(line.head) + len(line.text) for line in told.lines)
    kept = sum(len(line.head) + len(line.text) for line in lines)
    return 1.0 if not whole else round(min(1.0, kept / whole), 6)


def _cut(line: Line, most: int) -> Line:
    return line._replace(text=cut_middle(line.text, most))


def _shown(line: Line) -> str:
    return f"{line.head}: {line.text}" if line.text else line.head


def _size(line: Line) -> int:
    return estimated_tokens(line.head) + estimated_tokens(line.text) + 1


def _tokens(lines: Sequence[Line]) -> int:
    return sum(map(_size, lines))
