"""Combines votes: the majority of categories, the median of numbers."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.evaluation.judge.answer import Answer


class Outcome(NamedTuple):
    """The combined votes."""

    answer: Answer
    """The first vote for the winning value."""
    metrics: dict[str, float | None]
    """``votes``, and for categories their ``agreement`` (a share), for numbers their ``spread``."""


def decide(answers: Sequence[Answer]) -> Outcome | None:
    """Return the outcome of one or more votes.

    ``None`` if no category has more than half of the votes. The number of votes is odd, so that the
    median is one of the values.
    """
    values = [answer.value for answer in answers]
    count = float(len(values))
    numbers = [value for value in values if isinstance(value, float)]
    if len(numbers) == len(values):
        wins: bool | float | str = median(numbers)
        metrics: dict[str, float | None] = {"votes": count, "spread": max(numbers) - min(numbers)}
    else:
        wins, most = Counter(values).most_common(1)[0]
        if 2 * most <= len(values):
            return None
        metrics = {"votes": count, "agreement": most / count}
    return Outcome(next(one for one in answers if one.value == wins), metrics)
