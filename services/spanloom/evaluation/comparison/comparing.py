"""Compares two sets of observed runs: tests all features and numbers for significant changes."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spanloom.evaluation.comparison.columns import Clusters, Counted, numbers_of
from spanloom.evaluation.comparison.features import KINDS, Feature, Number
from spanloom.evaluation.comparison.resampling import bootstrap, bootstrap_medians, permute
from spanloom.evaluation.statistics.proportions import fisher, newcombe
from spanloom.evaluation.statistics.several import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from spanloom.evaluation.comparison.columns import Column, Pair

T = TypeVar("T")

FEWEST_RUNS = 8
"""Minimum runs per set; with fewer no change is reported."""
MOST_FEATURES = 500
"""Maximum features that are compared: the most frequent features of both sets together."""
LEVEL = 0.05
_ROUNDED = 9


class Medians(NamedTuple):
    """Medians of a number in both sets, and the interval of their difference."""

    a: float
    b: float
    low: float
    high: float


class Change(NamedTuple):
    """A feature or number that changed."""

    counted: Counted
    a: Column
    b: Column
    low: float
    high: float
    p_holm: float
    medians: Medians | None


class Compared(NamedTuple):
    """The comparison of two sets."""

    changes: Sequence[Change]
    """The changes, most certain first."""
    without: int
    """How many features and numeric properties show no difference."""
    left_out: int
    """The number of features beyond ``MOST_FEATURES``, which are not compared."""


def compare(a: Clusters, b: Clusters, min_support: int, seed: str) -> Compared:
    """Return the changes from A to B."""
    features, left_out = _features(a, b, min_support)
    counted: list[Counted] = [*features, *numbers_of(a, b)]
    in_a, in_b = a.columns(counted), b.columns(counted)
    pairs = {one: (in_a[one], in_b[one]) for one in counted}
    are_single = a.are_single and b.are_single
    p_values = _by_kind(pairs, fisher, lambda rest: permute(rest, seed), are_single=are_single)
    adjusted = dict(zip(counted, holm([p_values[one] for one in counted]), strict=True))
    named = [one for one in counted if adjusted[one] < LEVEL]
    bounds = _by_kind(
        {one: pairs[one] for one in named},
        newcombe,
        lambda rest: bootstrap(rest, seed),
        are_single=are_single,
    )
    changes = [
        Change(one, *pairs[one], *bounds[one], adjusted[one], _medians(one, a, b, seed))
        for one in named
        if bounds[one][0] > 0 or bounds[one][1] < 0
    ]
    return Compared(sorted(changes, key=_rank(a)), len(counted) - len(changes), left_out)


def _features(a: Clusters, b: Clusters, min_support: int) -> tuple[Sequence[Feature], int]:
    """Return the features with enough runs in either set, and how many are left out."""
    in_a, in_b = a.support, b.support
    known = {
        feature: in_a.get(feature, 0) + in_b.get(feature, 0)
        for feature in in_a.keys() | in_b.keys()
        if max(in_a.get(feature, 0), in_b.get(feature, 0)) >= min_support
    }
    found = sorted(known, key=lambda one: (-known[one], one))
    return found[:MOST_FEATURES], max(len(found) - MOST_FEATURES, 0)


def _by_kind(
    pairs: Mapping[Counted, Pair],
    exact: Callable[[tuple[int, int], tuple[int, int]], T],
    draw: Callable[[Sequence[Pair]], Sequence[T]],
    *,
    are_single: bool,
) -> Mapping[Counted, T]:
    """Return a statistic for each pair of columns.

    ``exact`` computes it for features if each cluster is one run. For all other pairs, ``draw``
    computes it by resampling.
    """
    shares = {
        one: exact(_share(a), _share(b))
        for one, (a, b) in pairs.items()
        if are_single and isinstance(one, Feature)
    }
    rest = {one: pair for one, pair in pairs.items() if one not in shares}
    return shares | dict(zip(rest, draw([*rest.values()]), strict=True))


def _share(column: Column) -> tuple[int, int]:
    return int(sum(column.sums)), int(sum(column.sizes))


def _medians(counted: Counted, a: Clusters, b: Clusters, seed: str) -> Medians | None:
    if isinstance(counted, Feature):
        return None
    in_a, in_b = a.values(counted), b.values(counted)
    low, high = bootstrap_medians(in_a, in_b, seed)
    return Medians(_median(in_a), _median(in_b), low, high)


def _median(clusters: Iterable[Iterable[float]]) -> float:
    return float(median(value for cluster in clusters for value in cluster))


def _rank(a: Clusters) -> Callable[[Change], tuple[float, bool, int, str]]:
    """Return the function that computes the sort key of a change: most certain changes first.

    Certainty is the bound of the interval that is nearest to zero, in standard deviations of A.
    """

    def key(change: Change) -> tuple[float, bool, int, str]:
        nearest = min(abs(change.low), abs(change.high))
        certain = round(nearest / _spread(change, a), _ROUNDED)
        kind = change.counted.kind if isinstance(change.counted, Feature) else ""
        place = KINDS.index(kind) if kind else len(KINDS)
        return -certain, change.low < 0, place, change.counted.name

    return key


def _spread(change: Change, a: Clusters) -> float:
    """Return the standard deviation over the runs of A, which is never zero for a share."""
    if isinstance(change.counted, Feature):
        has, n = _share(change.a)
        share = (has + 0.5) / (n + 1)
        return math.sqrt(share * (1 - share))
    return _deviation(change.counted, a, change.a.mean) or abs(change.b.mean - change.a.mean)


def _deviation(number: Number, a: Clusters, mean: float) -> float:
    values = [value for cluster in a.values(number) for value in cluster]
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
