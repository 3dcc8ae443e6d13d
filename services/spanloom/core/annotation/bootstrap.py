"""How sure a figure is: its interval when whole trajectories are drawn again and again.

Steps of one run are alike, so runs are drawn, not steps. The draws follow from the seed: the same
annotations give the same interval.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.annotation.agreement import Coincidences, Figure, Pair

DRAWS, FEWEST_DRAWS = 1_000, 100
MOST_WORK = 1_000_000
"""Runs drawn at most, all draws together: of more runs there are fewer draws."""
FEWEST_RUNS = 2
"""Of one run alone nothing is known of others."""


def interval_of(
    runs: Sequence[Coincidences], figure: Callable[[Coincidences], Figure], seed: int = 0
) -> tuple[float, float] | None:
    """Return the middle 95 % of a figure over draws of runs; ``None`` where most have none."""
    if len(runs) < FEWEST_RUNS:
        return None
    random = Random(seed)  # noqa: S311  # no secret: the same draws each time
    values = []
    draws = max(FEWEST_DRAWS, min(DRAWS, MOST_WORK // len(runs)))
    for _ in range(draws):
        drawn: defaultdict[Pair, float] = defaultdict(float)
        for run in random.choices(runs, k=len(runs)):
            for pair, weight in run.items():
                drawn[pair] += weight
        if (value := figure(drawn).value) is not None:
            values.append(value)
    if len(values) < draws / 2:
        return None
    values.sort()
    return values[int(len(values) * 0.025)], values[int(len(values) * 0.975) - 1]
