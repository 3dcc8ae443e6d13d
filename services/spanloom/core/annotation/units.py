"""What annotators say, side by side: for each thing that can be said, who says what of what."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.annotation.agreement import interval, nominal, ordinal
from spanloom.core.annotation.marks import is_wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from spanloom.core.annotation.agreement import Metric
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Mark


Units: TypeAlias = "Mapping[Unit, Mapping[str, Hashable]]"
"""What each annotator says of each unit."""


class Unit(NamedTuple):
    """What several may judge: a step, or a trajectory where the step is empty."""

    trace_id: str
    step_id: str


class Said(NamedTuple):
    """What one annotator says of one unit."""

    unit: Unit
    annotator: str
    mark: Mark
    agent: str = ""
    step_type: str = ""
    quote: str = ""
    """Name and beginning of the step."""


class Aspect(NamedTuple):
    """One thing that can be said, and who says what."""

    name: str
    level: str
    """nominal, ordinal or interval: how values differ."""
    units: Units
    metric: Metric


def aspects_of(
    scheme: Scheme, said: Sequence[Said], scores: Mapping[tuple[str, str], float]
) -> Sequence[Aspect]:
    """Return what a scheme asks and somebody answered; ``scores`` are by trace and annotator."""
    judged = _units(said, lambda mark: mark.correctness)
    wrong = [row for row in said if is_wrong(scheme, row.mark.correctness)]
    by_weight = [s.name for s in sorted(scheme.severities, key=lambda s: s.weight)]
    score_units: dict[Unit, dict[str, Hashable]] = defaultdict(dict)
    for (trace_id, annotator), value in scores.items():
        score_units[Unit(trace_id, "")][annotator] = value
    order = ordered_options(scheme)
    found = [
        Aspect("correctness", "nominal", judged, nominal),
        Aspect("correctness", "ordinal", _only(judged, order), ordinal(order)),
        Aspect("error_type", "nominal", _units(wrong, lambda m: m.error_type), nominal),
        Aspect("severity", "ordinal", _ranked(wrong, by_weight), ordinal(by_weight)),
        Aspect("score", "interval", score_units, interval),
        Aspect("decisive_step", "nominal", _units(said, _decisive), nominal),
        Aspect("responsible_agent", "nominal", _units(said, _responsible), nominal),
    ]
    return [aspect for aspect in found if aspect.units]


def ordered_options(scheme: Scheme) -> Sequence[str]:
    """Return the options from right to wrong: those that say partially come in between."""
    return sorted(
        scheme.options, key=lambda o: (o != scheme.correct_option, "partial" not in o.lower())
    )


def differing(units: Units) -> Units:
    """Return the units of which two or more say different things."""
    return {unit: values for unit, values in units.items() if len(set(values.values())) > 1}


def said_by(units: Units, pair: Sequence[str], said: Sequence[str] = ()) -> Units:
    """Return the units that both of a pair judge, and only what these two say.

    With what they ``said``, one after the other, those of which they say just that.
    """
    found = {
        unit: {who: values[who] for who in pair}
        for unit, values in units.items()
        if all(who in values for who in pair)
    }
    wanted = list(said)
    return {
        unit: values
        for unit, values in found.items()
        if not wanted or [str(values[who]) for who in pair] == wanted
    }


def _units(said: Iterable[Said], value: Callable[[Mark], str]) -> Units:
    units: dict[Unit, dict[str, Hashable]] = defaultdict(dict)
    for row in said:
        if found := value(row.mark):
            units[row.unit][row.annotator] = found
    return units


def _ranked(said: Iterable[Said], order: Sequence[str]) -> Units:
    return _only(_units(said, lambda mark: mark.severity), order)


def _only(units: Units, known: Sequence[str]) -> Units:
    """Return the units without values that have no place in the order, as imports may have."""
    return {
        unit: kept
        for unit, values in units.items()
        if (kept := {who: v for who, v in values.items() if v in known})
    }


def _decisive(mark: Mark) -> str:
    return str(mark.value.get("decisive_step") or "")


def _responsible(mark: Mark) -> str:
    return str(mark.value.get("responsible_agent") or "")
