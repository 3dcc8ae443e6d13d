"""Reads stored scores as labels: those of an evaluator, and those of people."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.errors import InvalidRequestError
from spanloom.evaluation.statistics.raters import PeopleLabels, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.client.client import Client
    from spanloom.core.records.score import ScoreItem
    from spanloom.evaluation.statistics.raters import Label

PEOPLE = ("human", "adjudication", "import")
"""Sources of scores by people; files of others do not say what their scores are."""
MACHINES = ("rule", "llm", "code", "model", "api")
ADJUDICATION = "adjudication"


class Asked(NamedTuple):
    """Whose scores to compare."""

    evaluator: str
    """Author of the scores."""
    human: str
    """Name of people's scores, such as a scheme; or the author of them."""
    of_steps: bool
    score: str | None = None
    """Name of the evaluator's score, where it gives several."""
    experiment: str | None = None
    project: str | None = None
    by_passed: bool = False
    """Compare whether it passed, not its value."""
    same: Mapping[str, str] = {}
    """Labels of people, and what the evaluator says for them."""


def evaluator_labels(client: Client, asked: Asked) -> tuple[str, Mapping[Unit, Label]]:
    """Return the name of the evaluator's score, and its label of each unit: the latest one.

    Raises ``InvalidRequestError`` where there is none, or several scores to choose from.
    """
    found: dict[Unit, tuple[int, Label]] = {}
    names: set[str] = set()
    rows = client.scores(
        author=asked.evaluator,
        sources=MACHINES,
        experiment=asked.experiment,
        project=asked.project,
    )
    for row in rows:
        if asked.score not in (None, row.name) or not _is_meant(row, asked):
            continue
        names.add(row.name)
        if (label := _passed(row) if asked.by_passed else _label(row)) is not None:
            unit = Unit(row.trace_id, row.step_id)
            found[unit] = max(found.get(unit, (0, label)), (int(row.at), label), key=_at)
    if len(names) > 1:
        listed = ", ".join(sorted(names)[:20])
        raise InvalidRequestError(f"{asked.evaluator} gives several scores, choose one: {listed}")
    if not names:
        kind = "steps" if asked.of_steps else "trajectories"
        raise InvalidRequestError(f"there is no score of {kind} by {asked.evaluator}")
    return names.pop(), {unit: label for unit, (_, label) in found.items()}


def people_labels(client: Client, asked: Asked) -> Mapping[Unit, PeopleLabels]:
    """Return what people say of each unit; raises ``InvalidRequestError`` if they say nothing."""
    said: defaultdict[Unit, dict[str, Label]] = defaultdict(dict)
    decided: dict[Unit, Label] = {}
    for row in _of_people(client, asked):
        if not _is_meant(row, asked) or (label := _label(row)) is None:
            continue
        unit = Unit(row.trace_id, row.step_id)
        told = asked.same.get(str(label), label)
        if row.source == ADJUDICATION:
            decided[unit] = told
        else:
            said[unit][row.author] = told
    if not said and not decided:
        kind = "steps" if asked.of_steps else "trajectories"
        raise InvalidRequestError(f"there is no label of {kind} named {asked.human}, nor by them")
    return {
        unit: PeopleLabels(said.get(unit, {}), decided.get(unit))
        for unit in said.keys() | decided.keys()
    }


def _of_people(client: Client, asked: Asked) -> Iterator[ScoreItem]:
    """Yield scores of this name, else those by a person of this name."""
    rows = client.scores(name=asked.human, sources=PEOPLE, project=asked.project)
    is_any = False
    for row in rows:
        is_any = True
        yield row
    if not is_any:
        yield from client.scores(author=asked.human, sources=PEOPLE, project=asked.project)


def _is_meant(row: ScoreItem, asked: Asked) -> bool:
    """Return whether a score is of the units that are compared."""
    is_unit = row.target == ("step" if asked.of_steps else "trajectory")
    return is_unit and row.status == "ok"


def _label(row: ScoreItem) -> Label | None:
    if isinstance(row.value, bool):
        return str(row.value).lower()
    return row.value if row.value_type != "text" else None


def _passed(row: ScoreItem) -> Label | None:
    return None if row.passed is None else str(row.passed).lower()


def _at(one: tuple[int, Any]) -> int:
    return one[0]
