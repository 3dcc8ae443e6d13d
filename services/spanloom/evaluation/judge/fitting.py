"""Shortens the steps of a run to fit into prompts, and reports the share of text that remains.

First, long results are cut in the middle, and old results are shortened to one line. Runs that are
still too long are split into windows. If the allowed windows are too few, or only one prompt is
allowed, old texts are shortened to one line, and finally steps in the middle are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.judge.port import estimated_tokens
from spanloom.evaluation.judge.steps import Line
from spanloom.evaluation.judge.texts import LINE, cut_middle, one_line
from spanloom.evaluation.judge.windows import bounded, capacity, size, split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.evaluation.judge.steps import StepLines

_LENGTHS = (16_000, 8_000, 4_000, 2_000, 1_000)
"""Character limits of a result, tried one after the other."""
_RECENT = 6
"""Number of last lines whose results are shortened last."""
_HEAD = 2_000
"""Maximum characters of the calls in a line, in a run that is too long."""


class Room(NamedTuple):
    """The limits for steps in prompts."""

    tokens: int
    """Tokens for steps in a prompt with all steps."""
    windows: int = 1
    window_tokens: int = 0
    """Tokens for steps in a prompt with one window."""


class Fitted(NamedTuple):
    """The steps as texts: one text, or a text for each window."""

    parts: Sequence[str]
    coverage: float
    """The share of all characters that remains, 0 to 1."""
    left_out: int = 0
    """The number of lines that were left out."""


def fit(steps: StepLines, room: Room) -> Fitted:
    """Return the steps, shortened to about the tokens in ``room``."""
    lines = list(steps.lines)
    if sum(estimated_tokens(line.head) for line in lines) <= room.tokens:
        for most in (None, *_LENGTHS):
            if most is not None:
                lines = [_cut(line, most) if line.is_result else line for line in lines]
            if _tokens(lines) <= room.tokens:
                return _fitted([lines], steps)
        lines = _shorten(lines, room.tokens, _is_result)
        if _tokens(lines) <= room.tokens:
            return _fitted([lines], steps)
    return _fit_windows(steps, room) if room.windows > 1 else _fit_ends(lines, steps, room.tokens)


def _fit_windows(steps: StepLines, room: Room) -> Fitted:
    """Return the steps in windows; results, then all texts, are cut as far as needed."""
    tokens, most = room.window_tokens, capacity(room.windows, room.window_tokens)
    cut = [_cut(line, _LENGTHS[-1]) if line.is_result else line for line in steps.lines]
    lines = [bounded(line, tokens) for line in cut]
    for may in (_is_result, _is_any):
        lines = _shorten(lines, most, may)
        if _tokens(lines) <= most:
            return _fitted(split(lines, tokens), steps)
    begin, end = _ends([bounded(_short(line), tokens) for line in steps.lines], most)
    remaining = _marked(begin, end, len(lines))
    return _fitted(split(remaining, tokens), steps, len(lines) - len(begin) - len(end))


def _fit_ends(lines: Sequence[Line], steps: StepLines, tokens: int) -> Fitted:
    """Return the steps in one text; its middle is left out if needed."""
    shorter = _shorten(lines, tokens, _is_any)
    if _tokens(shorter) <= tokens:
        return _fitted([shorter], steps)
    begin, end = _ends([_short(line) for line in lines], tokens)
    left_out = len(lines) - len(begin) - len(end)
    return _fitted([_marked(begin, end, len(lines))], steps, left_out)


def _is_result(line: Line) -> bool:
    return line.is_result


def _is_any(_: Line) -> bool:
    return True


def _shorten(lines: Sequence[Line], tokens: int, may: Callable[[Line], bool]) -> list[Line]:
    """Cut texts to one line where ``may`` allows it, the oldest first, until all lines fit."""
    total = _tokens(lines)
    made = list(lines)
    old = len(lines) - _RECENT
    for at, line in enumerate(lines):
        if total <= tokens or (at >= old and may is _is_result):
            break
        if may(line) and len(line.text) > LINE:
            made[at] = line._replace(text=one_line(line.text))
            total += size(made[at]) - size(line)
    return made


def _ends(lines: Sequence[Line], tokens: int) -> tuple[list[Line], list[Line]]:
    """Return lines from both ends, taken alternately, as many as fit together with a note."""
    left, first, last = tokens - 20, 0, len(lines)
    begin: list[Line] = []
    end: list[Line] = []
    while first < last:
        is_first = len(begin) <= len(end)
        line = lines[first if is_first else last - 1]
        left -= size(line)
        if left < 0:
            break
        (begin if is_first else end).append(line)
        first, last = (first + 1, last) if is_first else (first, last - 1)
    return begin, end[::-1]


def _marked(begin: Sequence[Line], end: Sequence[Line], count: int) -> list[Line]:
    """Return both ends, with a note about the lines left out between them."""
    missing = count - len(begin) - len(end)
    note = Line(0, f"[{missing} lines of steps left out]", "")
    return [*begin, *([note] if missing else []), *end]


def _short(line: Line) -> Line:
    return line._replace(head=cut_middle(line.head, _HEAD), text=one_line(line.text))


def _fitted(parts: Sequence[Sequence[Line]], steps: StepLines, left_out: int = 0) -> Fitted:
    texts = ["\n".join(map(_joined, lines)) for lines in parts]
    remaining: dict[int, Line] = {
        id(line): line for lines in parts for line in lines if line.number
    }
    return Fitted(texts, _coverage(list(remaining.values()), steps), left_out)


def _coverage(lines: Sequence[Line], steps: StepLines) -> float:
    """Return the share of the characters of all steps that ``lines`` contain."""
    whole = steps.left_out + sum(len(line.head) + len(line.text) for line in steps.lines)
    count = sum(len(line.head) + len(line.text) for line in lines)
    return 1.0 if not whole else round(min(1.0, count / whole), 6)


def _cut(line: Line, most: int) -> Line:
    return line._replace(text=cut_middle(line.text, most))


def _joined(line: Line) -> str:
    return f"{line.head}: {line.text}" if line.text else line.head


def _tokens(lines: Sequence[Line]) -> int:
    return sum(map(size, lines))
