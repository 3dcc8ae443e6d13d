"""Scores how well two steps of two runs correspond."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.core.diff.steps import DiffStep

GAP = -0.6
"""Score of an unpaired step: two of them are worse than a pair of different tools."""
_OTHER_NAME = -0.5


def likeness(a: DiffStep, b: DiffStep) -> float | None:
    """Return how well two steps match: 2 at best; ``None`` if they cannot match.

    Steps of different types never match; steps of different names do only if there is no better
    pair. The same tool with two of three arguments equal scores 1.67.
    """
    if a.type != b.type:
        return None
    if a.name != b.name:
        return _OTHER_NAME
    if a.signature == b.signature:
        return 2.0
    return 1.0 + (_same_answer(a, b) if a.type == "model" else _same_arguments(a, b))


def _same_arguments(a: DiffStep, b: DiffStep) -> float:
    """Return the share of equal arguments among all that either has."""
    ours, theirs = a.arguments, b.arguments
    if not ours or not theirs:
        return 0.0
    names = ours.keys() | theirs.keys()
    same = sum(name in ours and name in theirs and ours[name] == theirs[name] for name in names)
    return same / len(names)


def _same_answer(a: DiffStep, b: DiffStep) -> float:
    """Return the share of called tools that both outputs have; 0.5 if neither calls any."""
    if not a.calls and not b.calls:
        return 0.5
    return len(a.calls & b.calls) / len(a.calls | b.calls)
