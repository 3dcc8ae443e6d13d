"""Columns of two sets of runs, with one value for each cluster: input of the resampling tests."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.comparison.features import NUMBERS, Feature, Number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.evaluation.comparison.observing import Observed

Counted = Feature | Number


class Column(NamedTuple):
    """Sums of one feature or number over each cluster of a set."""

    sums: Sequence[float]
    """For a feature: the number of runs that have it."""
    sizes: Sequence[float]
    """The number of runs that have a value; for a feature, all runs."""

    @property
    def mean(self) -> float:
        """The share of runs that have the feature, or the mean of the number."""
        return sum(self.sums) / max(sum(self.sizes), 1)


Pair = tuple[Column, Column]
"""The columns of one feature or number in both sets."""


class Clusters:
    """A set of runs, grouped by cluster and sorted by cluster name: input order is irrelevant."""

    def __init__(self, runs: Iterable[Observed]) -> None:
        """Group the runs by cluster."""
        grouped: dict[str, list[Observed]] = {}
        for run in runs:
            grouped.setdefault(run.cluster, []).append(run)
        self.runs = [grouped[name] for name in sorted(grouped)]
        self.count = sum(map(len, self.runs))
        """The number of runs."""

    @property
    def are_single(self) -> bool:
        """Whether each cluster is one run."""
        return self.count == len(self.runs)

    @cached_property
    def support(self) -> Mapping[Feature, int]:
        """The number of runs that have each feature."""
        return Counter(feature for runs in self.runs for run in runs for feature in run.features)

    def columns(self, counted: Iterable[Counted]) -> Mapping[Counted, Column]:
        """Return the columns of features and numbers, in one pass over the runs."""
        sizes = [float(len(runs)) for runs in self.runs]
        columns: dict[Counted, Column] = {}
        sums: dict[Feature, list[float]] = {}
        for one in counted:
            if isinstance(one, Feature):
                sums[one] = [0.0] * len(sizes)
                columns[one] = Column(sums[one], sizes)
            else:
                values = self.values(one)
                columns[one] = Column(list(map(sum, values)), [float(len(v)) for v in values])
        for place, runs in enumerate(self.runs):
            for feature in chain.from_iterable(run.features for run in runs):
                if feature in sums:
                    sums[feature][place] += 1
        return columns

    def values(self, number: Number) -> Sequence[Sequence[float]]:
        """Return the values of a number as a list for each cluster, without runs that lack it."""
        name = number.name
        return [[run.numbers[name] for run in runs if name in run.numbers] for runs in self.runs]


def numbers_of(a: Clusters, b: Clusters) -> Sequence[Number]:
    """Return the numeric properties that runs of both sets have."""

    def has(side: Clusters, number: Number) -> bool:
        return any(number.name in run.numbers for runs in side.runs for run in runs)

    return [number for number in NUMBERS if has(a, number) and has(b, number)]
