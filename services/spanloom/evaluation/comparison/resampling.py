"""Permutation tests and bootstraps of many columns of two sets at once.

More than 256 clusters are put into groups first, see ``statistics/resampling.py``. For a
permutation, all groups of both sets have the same size, so that any group may be in either set.
"""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from spanloom.evaluation.comparison.packed import Packed
from spanloom.evaluation.statistics.drawing import MOST, draws
from spanloom.evaluation.statistics.resampling import DRAWS, HIGH, LOW, deal_places, sum_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.evaluation.comparison.columns import Column, Pair

_EQUAL = 1 - 1e-9
"""Tolerance factor: a difference counts as equal even if rounding makes it smaller."""
_SHARE_NEEDED = 0.05
"""A p-value above this is never reported, so it is not computed more exactly."""
_AT_ONCE = 500
"""Draws in one round; after it, pairs that need no more draws are finished."""


def permute(pairs: Sequence[Pair], seed: str) -> list[float]:
    """Return for each pair of columns the p-value that both sets have the same mean."""
    if not pairs:
        return []
    n_a, n_b = len(pairs[0][0].sums), len(pairs[0][1].sums)
    per_group = math.ceil((n_a + n_b) / MOST)
    groups_a = deal_places(n_a, math.ceil(n_a / per_group), f"{seed}/a")
    groups_b = deal_places(n_b, math.ceil(n_b / per_group), f"{seed}/b")
    columns = list(_both(pairs, groups_a, groups_b))
    sampled = _Sampled(len(groups_a), len(groups_b), f"{seed}/permute")
    p_values = [1.0] * len(pairs)
    waiting, counts = list(range(len(pairs))), [0] * len(pairs)
    for done in range(_AT_ONCE, DRAWS + 1, _AT_ONCE):
        own = [column for at in waiting for column in columns[at]]
        for at, count in zip(waiting, sampled.exceed(Packed(own), _AT_ONCE), strict=True):
            counts[at] += count
            p_values[at] = (counts[at] + 1) / (done + 1)
        waiting = [at for at in waiting if counts[at] <= DRAWS * _SHARE_NEEDED]
        if not waiting:
            break
    return p_values


class _Sampled:
    """Randomly divides the groups of both sets into two new sets of the same sizes."""

    def __init__(self, n_a: int, n_b: int, seed: str) -> None:
        self._n, self._fewer = n_a + n_b, min(n_a, n_b)
        self._first = range(n_a) if n_a <= n_b else range(n_a, self._n)
        """The groups of the smaller set."""
        self._random = Random(seed)  # noqa: S311  # not a secret: seeded, so that results repeat

    def exceed(self, packed: Packed, times: int) -> list[int]:
        """Return, for each pair of columns, how many of ``times`` random divisions are as extreme.

        A division is as extreme if its means differ at least as much as the means of the two sets.
        """
        places, fewer = range(self._n), self._fewer
        totals = packed.sums(places, self._n)
        observed = _gaps(packed.sums(self._first, fewer), totals)
        counts = [0] * len(observed)
        for _ in range(times):
            gaps = _gaps(packed.sums(self._random.sample(places, fewer), fewer), totals)
            counts = [
                count + (gap >= least * _EQUAL)
                for count, gap, least in zip(counts, gaps, observed, strict=True)
            ]
        return counts


def _both(
    pairs: Sequence[Pair], groups_a: Sequence[Sequence[int]], groups_b: Sequence[Sequence[int]]
) -> Iterator[tuple[Sequence[float], Sequence[float]]]:
    for a, b in pairs:
        yield (
            [*sum_groups(a.sums, groups_a), *sum_groups(b.sums, groups_b)],
            [*sum_groups(a.sizes, groups_a), *sum_groups(b.sizes, groups_b)],
        )


def _gaps(sums: Sequence[float], totals: Sequence[float]) -> list[float]:
    """Return, for each pair, how much the means of some groups and of all others differ."""
    found = []
    for at in range(0, len(sums), 2):
        total, size, all_, sizes = sums[at], sums[at + 1], totals[at], totals[at + 1]
        rest = sizes - size
        found.append(
            abs(total / size - (all_ - total) / rest) if size > 0 and rest > 0 else math.inf
        )
    return found


def bootstrap(pairs: Sequence[Pair], seed: str) -> list[tuple[float, float]]:
    """Return for each pair of columns the 95 % interval of the second mean minus the first."""
    if not pairs:
        return []
    first = _means([a for a, _ in pairs], f"{seed}/bootstrap/a")
    second = _means([b for _, b in pairs], f"{seed}/bootstrap/b")
    gaps: list[list[float]] = [[] for _ in pairs]
    for means_a, means_b in zip(first, second, strict=True):
        for gap, a, b in zip(gaps, means_a, means_b, strict=True):
            gap.append(b - a)
    return [_interval(gap) for gap in gaps]


def _means(columns: Sequence[Column], seed: str) -> Iterator[list[float]]:
    groups = deal_places(len(columns[0].sums), MOST, seed)
    both = [part for column in columns for part in (column.sums, column.sizes)]
    packed = Packed([sum_groups(part, groups) for part in both])
    n = len(groups)
    for draw in draws(n, DRAWS, seed):
        sums = packed.sums(draw, n)
        yield [sums[at] / max(sums[at + 1], 1.0) for at in range(0, len(sums), 2)]


def bootstrap_medians(
    a: Sequence[Sequence[float]], b: Sequence[Sequence[float]], seed: str
) -> tuple[float, float]:
    """Return the 95 % interval of the median of ``b`` minus the median of ``a``.

    Each inner sequence has the values of one cluster. The rank of a bootstrap median among the
    sorted values has a beta distribution whose parameters depend on the number of clusters, so the
    rank is drawn instead of the values.
    """
    first, second = _medians(a, f"{seed}/median/a"), _medians(b, f"{seed}/median/b")
    return _interval([two - one for one, two in zip(first, second, strict=True)])


def _medians(clusters: Sequence[Sequence[float]], seed: str) -> list[float]:
    values = sorted(value for cluster in clusters for value in cluster)
    half = (sum(map(bool, clusters)) + 1) / 2
    draw = Random(seed).betavariate  # noqa: S311  # not a secret: seeded, so that results repeat
    n = len(values)
    return [values[min(int(draw(half, half) * n), n - 1)] for _ in range(DRAWS)]


def _interval(values: list[float]) -> tuple[float, float]:
    values.sort()
    return values[LOW], values[HIGH]
