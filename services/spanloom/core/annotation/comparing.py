"""What annotators say, compared: for each thing that can be said, how far they agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.annotation.agreement import (
    NOTHING_SHARED,
    Figure,
    alpha,
    coincidences,
    kappa,
    percent,
)
from spanloom.core.annotation.bootstrap import interval_of
from spanloom.core.annotation.units import aspects_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from spanloom.core.annotation.agreement import Metric
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.annotation.units import Said, Units


class PairFigures(NamedTuple):
    """Two annotators over the units that both judged."""

    annotators: tuple[str, str]
    units: int
    kappa: Figure
    percent: Figure
    confusion: Mapping[tuple[Hashable, Hashable], int]


class Measure(NamedTuple):
    """How far annotators agree on one thing."""

    name: str
    level: str
    """nominal, ordinal or interval: how values differ."""
    units: int
    shared: int
    """Of them, judged by two or more."""
    alpha: Figure
    interval: tuple[float, float] | None
    """Where alpha lies in 95 of 100 draws of trajectories."""
    kappa: Figure
    """The mean over pairs of annotators that have one."""
    percent: Figure
    pairs: Sequence[PairFigures]


def compare(
    scheme: Scheme,
    said: Sequence[Said],
    scores: Mapping[tuple[str, str], float],
    seed: int | None = 0,
) -> Sequence[Measure]:
    """Return the measures that a scheme has; ``scores`` are by trace and annotator.

    Without a seed they have no intervals, which take the most time.
    """
    return [_measure(*aspect, seed) for aspect in aspects_of(scheme, said, scores)]


def _measure(name: str, level: str, units: Units, metric: Metric, seed: int | None) -> Measure:
    runs: dict[str, list[Sequence[Hashable]]] = defaultdict(list)
    for unit, values in units.items():
        runs[unit.trace_id].append(list(values.values()))
    every = coincidences(values for run in runs.values() for values in run)
    pairs = list(_pairs(units))
    found = [pair.kappa.value for pair in pairs if pair.kappa.value is not None]
    both = [pair for p in pairs for pair, count in p.confusion.items() for _ in range(count)]
    of_runs = [met for _, run in sorted(runs.items()) if (met := coincidences(run))]
    return Measure(
        name,
        level,
        len(units),
        sum(len(values) > 1 for values in units.values()),
        alpha(every, metric),
        None if seed is None else interval_of(of_runs, lambda drawn: alpha(drawn, metric), seed),
        Figure(sum(found) / len(found)) if found else Figure(None, _why_none(pairs)),
        percent(both),
        pairs,
    )


def _pairs(units: Units) -> Iterable[PairFigures]:
    names = sorted({who for values in units.values() for who in values})
    for one, other in combinations(names, 2):
        both = [(v[one], v[other]) for v in units.values() if one in v and other in v]
        if both:
            yield PairFigures(
                (one, other), len(both), kappa(both), percent(both), dict(Counter(both))
            )


def _why_none(pairs: Sequence[PairFigures]) -> str:
    return pairs[0].kappa.reason if pairs else NOTHING_SHARED
