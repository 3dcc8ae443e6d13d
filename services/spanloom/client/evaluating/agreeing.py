"""Converts stored scores to labels: an evaluator's labels and people's labels."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.errors import InvalidRequestError
from spanloom.core.model.score import ADJUDICATION, MACHINES, PEOPLE
from spanloom.evaluation.statistics.raters import PeopleLabels, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.client.client import Client
    from spanloom.core.records.score import ScoreItem
    from spanloom.evaluation.statistics.raters import Label


class Comparison(NamedTuple):
    """Which scores to compare: an evaluator's scores with people's scores."""

    evaluator: str
    """Author of the evaluator's scores."""
    human: str
    """Name of people's scores, such as a scheme, or the author of the scores."""
    of_steps: bool
    score: str | None = None
    """Name of the evaluator's score, if it returns several."""
    experiment: str | None = None
    project: str | None = None
    by_passed: bool = False
    """Whether to compare passed or not passed, instead of values."""
    same: Mapping[str, str] = {}
    """Labels of people, each with the evaluator's equivalent label."""


def evaluator_labels(client: Client, comparison: Comparison) -> tuple[str, Mapping[Unit, Label]]:
    """Return the name of the evaluator's score, and its latest label for each unit (run or step).

    Raises ``InvalidRequestError`` if there are no scores, or scores with different names.
    """
    latest: dict[Unit, tuple[int, Label]] = {}
    names: set[str] = set()
    rows = client.scores(
        author=comparison.evaluator,
        sources=MACHINES,
        experiment=comparison.experiment,
        project=comparison.project,
    )
    for row in rows:
        if comparison.score not in (None, row.name) or not _is_compared(row, comparison):
            continue
        names.add(row.name)
        if (label := _passed(row) if comparison.by_passed else _label(row)) is not None:
            unit = Unit(row.trace_id, row.step_id)
            latest[unit] = max(latest.get(unit, (0, label)), (int(row.at), label), key=_at)
    if len(names) > 1:
        listed = ", ".join(sorted(names)[:20])
        raise InvalidRequestError(
            f"{comparison.evaluator} gives several scores, choose one: {listed}"
        )
    if not names:
        kind = "steps" if comparison.of_steps else "trajectories"
        raise InvalidRequestError(f"there is no score of {kind} by {comparison.evaluator}")
    return names.pop(), {unit: label for unit, (_, label) in latest.items()}


def people_labels(client: Client, comparison: Comparison) -> Mapping[Unit, PeopleLabels]:
    """Return the labels of people for each unit.

    Raises ``InvalidRequestError`` if there are none.
    """
    labels: defaultdict[Unit, dict[str, Label]] = defaultdict(dict)
    decided: dict[Unit, Label] = {}
    for row in _of_people(client, comparison):
        if not _is_compared(row, comparison) or (label := _label(row)) is None:
            continue
        unit = Unit(row.trace_id, row.step_id)
        named = comparison.same.get(str(label), label)
        if row.source == ADJUDICATION:
            decided[unit] = named
        else:
            labels[unit][row.author] = named
    if not labels and not decided:
        kind = "steps" if comparison.of_steps else "trajectories"
        raise InvalidRequestError(
            f"there is no label of {kind} named {comparison.human}, nor by them"
        )
    return {
        unit: PeopleLabels(labels.get(unit, {}), decided.get(unit))
        for unit in labels.keys() | decided.keys()
    }


def _of_people(client: Client, comparison: Comparison) -> Iterator[ScoreItem]:
    """Yield people's scores named ``comparison.human``; if there are none, those by that author."""
    rows = client.scores(name=comparison.human, sources=PEOPLE, project=comparison.project)
    is_any = False
    for row in rows:
        is_any = True
        yield row
    if not is_any:
        yield from client.scores(
            author=comparison.human, sources=PEOPLE, project=comparison.project
        )


def _is_compared(row: ScoreItem, comparison: Comparison) -> bool:
    """Return whether a score belongs to the kind of units that are compared."""
    is_unit = row.target == ("step" if comparison.of_steps else "trajectory")
    return is_unit and row.status == "ok"


def _label(row: ScoreItem) -> Label | None:
    if isinstance(row.value, bool):
        return str(row.value).lower()
    return row.value if row.value_type != "text" else None


def _passed(row: ScoreItem) -> Label | None:
    return None if row.passed is None else str(row.passed).lower()


def _at(one: tuple[int, Any]) -> int:
    return one[0]
