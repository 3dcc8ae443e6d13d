"""Compares annotations of several people unit by unit, and measures their agreement."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.annotation.agreement import (
    NOTHING_SHARED,
    Figure,
    alpha,
    coincidences,
    interval,
    interval_of,
    kappa,
    nominal,
    ordinal,
    percent,
)
from spanloom.core.annotation.marks import is_wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from spanloom.core.annotation.agreement import Metric
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Mark


Units: TypeAlias = "Mapping[Unit, Mapping[str, Hashable]]"
"""The value of each annotator, keyed by unit, then by annotator."""


class Unit(NamedTuple):
    """A judged step, or the whole judged trajectory if the step id is empty."""

    trace_id: str
    step_id: str


class UnitMark(NamedTuple):
    """One annotator's annotation of one unit."""

    unit: Unit
    annotator: str
    mark: Mark
    agent: str = ""
    step_type: str = ""
    quote: str = ""
    """The name of the step and the beginning of its text (``anchors.quote_of``)."""


class Aspect(NamedTuple):
    """A compared aspect of annotations, such as correctness, with all annotators' values."""

    name: str
    level: str
    """Level of measurement: nominal, ordinal or interval."""
    units: Units
    metric: Metric


def aspects_of(
    scheme: Scheme, marks: Sequence[UnitMark], scores: Mapping[tuple[str, str], float]
) -> Sequence[Aspect]:
    """Return the aspects that have values; ``scores`` are keyed by trace and annotator."""
    judged = _units(marks, lambda mark: mark.correctness)
    wrong = [row for row in marks if is_wrong(scheme, row.mark.correctness)]
    by_weight = [s.name for s in sorted(scheme.severities, key=lambda s: s.weight)]
    score_units: dict[Unit, dict[str, Hashable]] = defaultdict(dict)
    for (trace_id, annotator), value in scores.items():
        score_units[Unit(trace_id, "")][annotator] = value
    order = ordered_options(scheme)
    aspects = [
        Aspect("correctness", "nominal", judged, nominal),
        Aspect("correctness", "ordinal", _only(judged, order), ordinal(order)),
        Aspect("error_type", "nominal", _units(wrong, lambda m: m.error_type), nominal),
        Aspect("severity", "ordinal", _ranked(wrong, by_weight), ordinal(by_weight)),
        Aspect("score", "interval", score_units, interval),
        Aspect("decisive_step", "nominal", _units(marks, _decisive), nominal),
        Aspect("responsible_agent", "nominal", _units(marks, _responsible), nominal),
    ]
    return [aspect for aspect in aspects if aspect.units]


def ordered_options(scheme: Scheme) -> Sequence[str]:
    """Return the options from correct to incorrect, with "partial" options in the middle."""
    return sorted(
        scheme.options, key=lambda o: (o != scheme.correct_option, "partial" not in o.lower())
    )


def differing(units: Units) -> Units:
    """Return the units to which annotators gave different values."""
    return {unit: values for unit, values in units.items() if len(set(values.values())) > 1}


def shared_units(units: Units, pair: Sequence[str], wanted: Sequence[str] = ()) -> Units:
    """Return the units that both annotators in ``pair`` judged, with only their two values.

    ``wanted``, if given, has one value for each of the two annotators, and only units with exactly
    these values are returned.
    """
    shared = {
        unit: {who: values[who] for who in pair}
        for unit, values in units.items()
        if all(who in values for who in pair)
    }
    expected = list(wanted)
    return {
        unit: values
        for unit, values in shared.items()
        if not expected or [str(values[who]) for who in pair] == expected
    }


def _units(marks: Iterable[UnitMark], value: Callable[[Mark], str]) -> Units:
    units: dict[Unit, dict[str, Hashable]] = defaultdict(dict)
    for row in marks:
        if judged := value(row.mark):
            units[row.unit][row.annotator] = judged
    return units


def _ranked(marks: Iterable[UnitMark], order: Sequence[str]) -> Units:
    return _only(_units(marks, lambda mark: mark.severity), order)


def _only(units: Units, known: Sequence[str]) -> Units:
    """Remove values that are not ``known`` in the scheme; imported annotations may have some."""
    return {
        unit: kept
        for unit, values in units.items()
        if (kept := {who: v for who, v in values.items() if v in known})
    }


def _decisive(mark: Mark) -> str:
    return str(mark.value.get("decisive_step") or "")


def _responsible(mark: Mark) -> str:
    return str(mark.value.get("responsible_agent") or "")


class PairFigures(NamedTuple):
    """The agreement of two annotators over the units that both judged."""

    annotators: tuple[str, str]
    units: int
    kappa: Figure
    percent: Figure
    confusion: Mapping[tuple[Hashable, Hashable], int]


class Measure(NamedTuple):
    """The agreement of all annotators on one aspect."""

    name: str
    level: str
    """Level of measurement: nominal, ordinal or interval."""
    units: int
    shared: int
    """Units judged by two or more annotators."""
    alpha: Figure
    interval: tuple[float, float] | None
    """The 95 % bootstrap interval of alpha over trajectories."""
    kappa: Figure
    """The mean of Cohen's kappa over all pairs of annotators for which it is defined."""
    percent: Figure
    pairs: Sequence[PairFigures]


def compare(
    scheme: Scheme,
    marks: Sequence[UnitMark],
    scores: Mapping[tuple[str, str], float],
    seed: int | None = 0,
) -> Sequence[Measure]:
    """Return a measure for each aspect of a scheme; ``scores`` are keyed by trace and annotator.

    ``seed`` is the seed for the bootstrap intervals; if it is ``None``, no intervals are computed,
    because they take most of the time.
    """
    return [_measure(*aspect, seed) for aspect in aspects_of(scheme, marks, scores)]


def _measure(name: str, level: str, units: Units, metric: Metric, seed: int | None) -> Measure:
    runs: dict[str, list[Sequence[Hashable]]] = defaultdict(list)
    for unit, values in units.items():
        runs[unit.trace_id].append(list(values.values()))
    every = coincidences(values for run in runs.values() for values in run)
    pairs = list(_pairs(units))
    kappas = [pair.kappa.value for pair in pairs if pair.kappa.value is not None]
    both = [pair for p in pairs for pair, count in p.confusion.items() for _ in range(count)]
    of_runs = [matrix for _, run in sorted(runs.items()) if (matrix := coincidences(run))]
    return Measure(
        name,
        level,
        len(units),
        sum(len(values) > 1 for values in units.values()),
        alpha(every, metric),
        None if seed is None else interval_of(of_runs, lambda drawn: alpha(drawn, metric), seed),
        Figure(sum(kappas) / len(kappas)) if kappas else Figure(None, _why_none(pairs)),
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
