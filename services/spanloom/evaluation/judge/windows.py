"""Splits lines into overlapping windows: each begins with the last steps of the previous window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.evaluation.judge.port import estimated_tokens
from spanloom.evaluation.judge.texts import cut_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.evaluation.judge.steps import Line

OVERLAP = 2
"""Steps that two consecutive windows have in common."""
_LINE_SHARE = 8
"""Head and text of a line get at most one eighth of a window each."""
_OVERLAP_SHARE = 4


def capacity(windows: int, tokens: int) -> int:
    """Return how many tokens of text are sure to fit into this many windows: half of each.

    The overlap with the previous window takes at most a quarter. ``bounded`` shortens each line to
    a quarter of a window, so less than a quarter is left free if the next line does not fit.
    """
    return windows * tokens // 2


def bounded(line: Line, tokens: int) -> Line:
    """Return a line shortened to a quarter of a window."""
    most = tokens // _LINE_SHARE - 1
    return line._replace(head=cut_to(line.head, most), text=cut_to(line.text, most))


def split(lines: Sequence[Line], tokens: int) -> Sequence[Sequence[Line]]:
    """Split lines that ``bounded`` has shortened into windows of at most ``tokens`` tokens."""
    windows: list[Sequence[Line]] = []
    window: list[Line] = []
    used = 0
    for line in lines:
        if window and used + size(line) > tokens:
            windows.append(window)
            window = _repeated(window, tokens // _OVERLAP_SHARE)
            used = sum(map(size, window))
        window.append(line)
        used += size(line)
    return [*windows, window]


def _repeated(window: Sequence[Line], tokens: int) -> list[Line]:
    """Return the lines of the last steps of a window, as many as fit."""
    numbers = list(dict.fromkeys(line.number for line in reversed(window)))[:OVERLAP]
    repeated: list[Line] = []
    for line in reversed(window):
        tokens -= size(line)
        if line.number not in numbers or tokens < 0:
            break
        repeated.append(line)
    return repeated[::-1]


def size(line: Line) -> int:
    """Return the estimated tokens of a line."""
    return estimated_tokens(line.head) + estimated_tokens(line.text) + 1
