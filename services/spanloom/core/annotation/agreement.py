"""Agreement of annotators: Krippendorff's alpha, Cohen's kappa, percent; plain Python.

A unit is something that several judged; its values are what they said, in any order. What somebody
did not say is missing, never a value. Where a figure is not defined there is none, and a reason.
Formulas: Krippendorff, Content Analysis, chapter 12; Cohen 1960.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    Pair = tuple[Hashable, Hashable]
    Coincidences = Mapping[Pair, float]
    Distance = Callable[[Hashable, Hashable], float]
    Metric = Callable[[Mapping[Hashable, float]], Distance]

NOTHING_SHARED = "no unit was judged by two annotators"
ONE_VALUE = "everybody always said the same: there is no chance to correct for"


class Figure(NamedTuple):
    """A figure, or why there is none."""

    value: float | None
    reason: str = ""


def coincidences(units: Iterable[Sequence[Hashable]]) -> Coincidences:
    """Return how often two values meet in a unit: m values of a unit weigh m, whoever said them."""
    found: defaultdict[Pair, float] = defaultdict(float)
    for unit in units:
        for pair in permutations(unit, 2):
            found[pair] += 1 / (len(unit) - 1)
    return found


def nominal(_: Mapping[Hashable, float]) -> Distance:
    """Values are the same or they are not."""
    return lambda a, b: float(a != b)


def interval(_: Mapping[Hashable, float]) -> Distance:
    """Values are numbers, such as scores."""
    return lambda a, b: (a - b) ** 2  # type: ignore[operator]  # as declared


def ordinal(order: Sequence[Hashable]) -> Metric:
    """Values have an order; two are as far apart as often as those between them are used."""
    place = {value: number for number, value in enumerate(order)}

    def metric(used: Mapping[Hashable, float]) -> Distance:
        def distance(a: Hashable, b: Hashable) -> float:
            low, high = sorted((place[a], place[b]))
            between = sum(used.get(order[i], 0) for i in range(low, high + 1))
            return float(between - (used.get(a, 0) + used.get(b, 0)) / 2) ** 2

        return distance

    return metric


def alpha(met: Coincidences, metric: Metric = nominal) -> Figure:
    """Return Krippendorff's alpha of coincidences: any number of annotators, any gaps."""
    used: defaultdict[Hashable, float] = defaultdict(float)
    for (value, _), weight in met.items():
        used[value] += weight
    if not (total := sum(used.values())):
        return Figure(None, NOTHING_SHARED)
    distance = metric(used)
    observed = sum(weight * distance(a, b) for (a, b), weight in met.items())
    chance = sum(used[a] * used[b] * distance(a, b) for a in used for b in used)
    if not chance:
        return Figure(None, ONE_VALUE)
    return Figure(1 - (total - 1) * observed / chance)


def kappa(pairs: Sequence[Pair]) -> Figure:
    """Return Cohen's kappa of two annotators over the units that both judged."""
    if not pairs:
        return Figure(None, NOTHING_SHARED)
    n = len(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(left[value] * right[value] for value in left) / n**2
    if chance == 1:
        return Figure(None, ONE_VALUE)
    return Figure((sum(a == b for a, b in pairs) / n - chance) / (1 - chance))


def percent(pairs: Sequence[Pair]) -> Figure:
    """Return the share of pairs that say the same, from 0 to 1."""
    if not pairs:
        return Figure(None, NOTHING_SHARED)
    return Figure(sum(a == b for a, b in pairs) / len(pairs))
