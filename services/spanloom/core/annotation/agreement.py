"""Agreement statistics: Krippendorff's alpha, Cohen's kappa, percent; and open disagreements."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.annotation import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from spanloom.core.model.annotation import Annotation, Mark


if TYPE_CHECKING:
    Pair = tuple[Hashable, Hashable]
    Coincidences = Mapping[Pair, float]
    Distance = Callable[[Hashable, Hashable], float]
    Metric = Callable[[Mapping[Hashable, float]], Distance]


NOTHING_SHARED = "no unit was judged by two annotators"
ONE_VALUE = "all answers are the same, so chance agreement is 1"


class Figure(NamedTuple):
    """The value of a statistic, or the reason why it is undefined."""

    value: float | None
    reason: str = ""


def coincidences(units: Iterable[Sequence[Hashable]]) -> Coincidences:
    """Return Krippendorff's coincidence matrix; a unit with m > 1 values adds weight m."""
    weights: defaultdict[Pair, float] = defaultdict(float)
    for unit in units:
        for pair in permutations(unit, 2):
            weights[pair] += 1 / (len(unit) - 1)
    return weights


def nominal(_: Mapping[Hashable, float]) -> Distance:
    """Return the distance of nominal values: 0 if equal, otherwise 1."""
    return lambda a, b: float(a != b)


def interval(_: Mapping[Hashable, float]) -> Distance:
    """Return the distance of numbers, such as scores: the squared difference."""
    return lambda a, b: (a - b) ** 2  # type: ignore[operator]  # as declared


def ordinal(order: Sequence[Hashable]) -> Metric:
    """Return the metric for ordered values; distance grows with the frequency of values between."""
    place = {value: number for number, value in enumerate(order)}

    def metric(used: Mapping[Hashable, float]) -> Distance:
        def distance(a: Hashable, b: Hashable) -> float:
            low, high = sorted((place[a], place[b]))
            between = sum(used.get(order[i], 0) for i in range(low, high + 1))
            return float(between - (used.get(a, 0) + used.get(b, 0)) / 2) ** 2

        return distance

    return metric


def alpha(matrix: Coincidences, metric: Metric = nominal) -> Figure:
    """Return Krippendorff's alpha for any number of annotators; values may be missing."""
    used: defaultdict[Hashable, float] = defaultdict(float)
    for (value, _), weight in matrix.items():
        used[value] += weight
    if not (total := sum(used.values())):
        return Figure(None, NOTHING_SHARED)
    distance = metric(used)
    observed = sum(weight * distance(a, b) for (a, b), weight in matrix.items())
    chance = sum(used[a] * used[b] * distance(a, b) for a in used for b in used)
    if not chance:
        return Figure(None, ONE_VALUE)
    return Figure(1 - (total - 1) * observed / chance)


def kappa(pairs: Sequence[Pair]) -> Figure:
    """Return Cohen's kappa for two annotators, from their values for each unit that both judged."""
    return kappa_of(Counter(pairs))


def kappa_of(counts: Coincidences) -> Figure:
    """Return Cohen's kappa from the number of units per pair of values."""
    return weighted_kappa(counts, lambda a, b: float(a != b))


def weighted_kappa(counts: Coincidences, distance: Distance) -> Figure:
    """Return Cohen's kappa, weighted by the distance between the two values of a pair."""
    if not (n := sum(counts.values())):
        return Figure(None, NOTHING_SHARED)
    left: defaultdict[Hashable, float] = defaultdict(float)
    right: defaultdict[Hashable, float] = defaultdict(float)
    for (a, b), count in counts.items():
        left[a] += count
        right[b] += count
    chance = sum(left[a] * right[b] * distance(a, b) for a in left for b in right) / n
    if not chance:
        return Figure(None, ONE_VALUE)
    return Figure(1 - sum(count * distance(*pair) for pair, count in counts.items()) / chance)


def percent(pairs: Sequence[Pair]) -> Figure:
    """Return the share, from 0 to 1, of pairs with equal values."""
    if not pairs:
        return Figure(None, NOTHING_SHARED)
    return Figure(sum(a == b for a, b in pairs) / len(pairs))


DRAWS, FEWEST_DRAWS = 1_000, 100
MOST_WORK = 1_000_000
"""Upper limit of the number of runs times the number of draws; with more runs, fewer draws."""
FEWEST_RUNS = 2
"""The minimum number of runs from which an interval can be computed."""


def interval_of(
    runs: Sequence[Coincidences], figure: Callable[[Coincidences], Figure], seed: int = 0
) -> tuple[float, float] | None:
    """Return the 95 % confidence interval, bootstrapped over runs; ``None`` if undefined."""
    if len(runs) < FEWEST_RUNS:
        return None
    random = Random(seed)  # noqa: S311  # not a secret; seeded for reproducible intervals
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


_OF_THE_WHOLE = ("decisive_step", "responsible_agent")


def undecided(annotations: Iterable[tuple[str, Annotation]]) -> Sequence[str]:
    """Return the ids of steps with different judgements and no adjudication; "" is the whole run.

    Each annotation comes with the id of its current step.
    """
    answers, decided = defaultdict[str, set[object]](set), set[str]()
    for step_id, row in annotations:
        if row.origin is Origin.ADJUDICATION:
            decided.add(step_id)
        else:
            answers[step_id].add(_answer(row.mark))
    return [step for step, own in answers.items() if len(own) > 1 and step not in decided]


def _answer(mark: Mark) -> object:
    """Return the compared fields of an annotation, without rationale and most further answers."""
    texts = (mark.correctness, mark.error_type, mark.error_subtype, mark.severity)
    return texts, tuple(str(mark.value.get(name)) for name in _OF_THE_WHOLE)
