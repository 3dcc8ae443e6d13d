"""Measures the agreement of an evaluator with people, over the units that both have judged."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from spanloom.core.annotation.agreement import (
    Figure,
    alpha,
    coincidences,
    interval_of,
    kappa_of,
    nominal,
    ordinal,
    weighted_kappa,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    Label: TypeAlias = Hashable
    """A label: a text or a number."""
    Counts: TypeAlias = Mapping[tuple[Label, Label], float]
    """The number of units, keyed by pair of labels."""


class Unit(NamedTuple):
    """A judged unit: a trajectory, or a step of it."""

    trace_id: str
    step_id: str = ""


@dataclass(frozen=True, slots=True)
class PeopleLabels:
    """The labels of people for one unit."""

    by_person: Mapping[str, Label]
    decided: Label | None = None
    """The label of an adjudicator; if ``None``, the majority counts."""

    @property
    def label(self) -> Label | None:
        """The common label of people; ``None`` if no label has more than half of the votes."""
        if self.decided is not None:
            return self.decided
        label, most = Counter(self.by_person.values()).most_common(1)[0]
        return label if 2 * most > len(self.by_person) else None


class Agreed(NamedTuple):
    """The agreement of an evaluator with people."""

    n: int
    """The number of units that count: both judged them, and people have a common label."""
    undecided: int
    """The number of units on which people have no majority."""
    only_evaluator: int
    only_people: int
    labels: Sequence[Label]
    """The labels, in the order of their scale if they have one."""
    confusion: Counts
    """The number of units, keyed by (people's label, evaluator's label)."""
    accuracy: float | None
    kappa: Figure
    interval: tuple[float, float] | None
    """The 95 % bootstrap interval of kappa over trajectories."""
    linear: Figure | None
    quadratic: Figure | None
    """Kappas with linear and with quadratic weights; ``None`` for labels without an order."""
    alpha: Figure
    """Krippendorff's alpha over the evaluator and each person; labels may be missing."""
    base_rate: Mapping[Label, float]
    """The share of each label among people's labels."""


def agree(
    evaluator: Mapping[Unit, Label],
    people: Mapping[Unit, PeopleLabels],
    order: Sequence[Label] = (),
    seed: int = 0,
) -> Agreed:
    """Return the agreement of an evaluator with people; ``order`` is the order of ordinal labels.

    Raises ``ValueError`` for a label that is not in ``order``.
    """
    used = {
        *evaluator.values(),
        *(one for labels_of_people in people.values() for one in _all(labels_of_people)),
    }
    labels = _ordered(used, order)
    pairs: dict[Unit, tuple[Label, Label]] = {}
    undecided = 0
    for unit in evaluator.keys() & people.keys():
        if (label := people[unit].label) is None:
            undecided += 1
        else:
            pairs[unit] = (label, evaluator[unit])
    counts: Counts = Counter(pairs.values())
    humans = Counter(label for label, _ in pairs.values())
    has_order = bool(order) or all(isinstance(label, float) for label in labels)
    return Agreed(
        len(pairs),
        undecided,
        len(evaluator.keys() - people.keys()),
        len(people.keys() - evaluator.keys()),
        labels,
        counts,
        sum(n for (a, b), n in counts.items() if a == b) / len(pairs) if pairs else None,
        kappa_of(counts),
        interval_of(_runs(pairs), kappa_of, seed),
        _weighted(counts, labels, 1) if has_order else None,
        _weighted(counts, labels, 2) if has_order else None,
        alpha(coincidences(_raters(evaluator, people)), ordinal(labels) if has_order else nominal),
        {label: humans[label] / len(pairs) for label in labels if humans[label]},
    )


def _all(labels_of_people: PeopleLabels) -> Iterable[Label]:
    return (
        labels_of_people.by_person.values()
        if labels_of_people.decided is None
        else (*labels_of_people.by_person.values(), labels_of_people.decided)
    )


def _by_value(label: Any) -> tuple[bool, Any]:  # numbers before texts
    return isinstance(label, str), label


def _ordered(used: set[Label], order: Sequence[Label]) -> Sequence[Label]:
    if not order:
        return sorted(used, key=_by_value)
    if unknown := sorted(str(label) for label in used - set(order)):
        raise ValueError(f"labels that the order lacks: {', '.join(unknown[:10])}")
    return [label for label in order if label in used]


def _runs(pairs: Mapping[Unit, tuple[Label, Label]]) -> Sequence[Counts]:
    """Return the counts of pairs by trajectory, the unit of resampling."""
    runs: defaultdict[str, Counter[tuple[Label, Label]]] = defaultdict(Counter)
    for unit, pair in sorted(pairs.items(), key=lambda item: item[0]):
        runs[unit.trace_id][pair] += 1
    return list(runs.values())


def _weighted(counts: Counts, labels: Sequence[Label], power: int) -> Figure:
    place = {label: at for at, label in enumerate(labels)}
    return weighted_kappa(counts, lambda a, b: float(abs(place[a] - place[b]) ** power))


def _raters(
    evaluator: Mapping[Unit, Label], people: Mapping[Unit, PeopleLabels]
) -> Iterable[Sequence[Label]]:
    for unit in sorted(evaluator.keys() | people.keys()):
        labels_of_people = list(people[unit].by_person.values()) if unit in people else []
        yield [*labels_of_people, evaluator[unit]] if unit in evaluator else labels_of_people
