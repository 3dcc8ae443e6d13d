"""Reads and checks ``eval.yaml``, and creates its evaluators."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.problems import InvalidWhereError
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.files.config.models import EvalFile, Gate, RunsQuery
from spanloom.evaluation.files.config.text import ConfigError, Places, read_text
from spanloom.evaluation.kinds import RUNS_CODE
from spanloom.evaluation.making import make_evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from spanloom.core.annotation.yaml_tree import Remark
    from spanloom.evaluation.evaluator import Evaluator

_MODELS: Mapping[str, type[BaseModel]] = {"gates": Gate, "runs": RunsQuery}


@dataclass(frozen=True, slots=True)
class Config:
    """A valid file, with its evaluators."""

    name: str
    file: EvalFile
    evaluators: Sequence[Evaluator]
    places: Places

    @property
    def gates(self) -> Sequence[Gate]:
        """The gates of the file."""
        return self.file.gates

    @property
    def scores(self) -> Sequence[str]:
        """The names of all scores of the evaluators, in order."""
        return [score for one in self.evaluators for score in one.judging.scores]

    @property
    def warn_scores(self) -> frozenset[str]:
        """The scores that only warn: they never fail a gate."""
        return frozenset().union(*(one.judging.warn_scores for one in self.evaluators))

    def error(self, place: str, reason: str) -> ConfigError:
        """Return the error for a fault that the caller found at a key such as ``runs.where``."""
        return ConfigError([self.places.fault(place, reason)])

    def check_question(self) -> None:
        """Raise ``ConfigError`` if the ``where`` of ``runs`` is invalid.

        This ``where`` is not used if the runs come from a file.
        """
        if self.file.runs is None or self.file.runs.where is None:
            return
        try:
            parse_where(self.file.runs.where, 0)
        except InvalidWhereError as error:
            raise self.error("runs.where", str(error).removeprefix("where: ")) from error


def read_config(
    text: bytes, *, name: str = "", folder: Path | None = None, allows_code: bool = False
) -> Config:
    """Return the configuration in a text; raises ``ConfigError`` with every fault.

    ``name`` is used if the configuration has no name; paths in evaluators are relative to
    ``folder``.
    """
    value, places = read_text(text)
    try:
        file = EvalFile.model_validate(value)
    except ValidationError as error:
        raise ConfigError([_fault_of(one, places) for one in error.errors()]) from error
    faults: list[Remark] = []
    made: list[Evaluator] = []
    for at, one in enumerate(file.evaluators):
        try:
            _check_code(one, allows_code=allows_code)
            made.append(make_evaluator(one, allow_code=allows_code, folder=folder))
        except InvalidEvaluatorError as invalid:
            inside = invalid.inside(f"evaluators.{at}")
            faults.append(places.fault(inside.key, inside.reason))
    if not faults:
        faults += [*_twins(made, places), *_unknown_scores(file.gates, made, places)]
    if faults:
        raise ConfigError(sorted(faults))
    return Config(file.name or name, file, made, places)


def _fault_of(error: Any, places: Places) -> Remark:  # one of pydantic's errors
    loc = [str(part) for part in error["loc"]]
    place = ".".join(loc)
    if error["type"] != "extra_forbidden":
        reason = error["msg"].removeprefix("Value error, ")
        return places.fault(place, reason[:1].lower() + reason[1:])
    model = _MODELS.get(loc[0], EvalFile) if len(loc) > 1 else EvalFile
    return places.fault(place, f"it is no key here{_hint(loc[-1], model.model_fields)}")


def _hint(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _check_code(one: Mapping[str, Any], *, allows_code: bool) -> None:
    """Raise ``InvalidEvaluatorError`` for an evaluator that runs code unless that is allowed."""
    if one.get("kind") in tuple(RUNS_CODE) and not allows_code:
        raise InvalidEvaluatorError("kind", "it runs the code of a file: --allow-code allows that")


def _twins(made: Sequence[Evaluator], places: Places) -> Iterator[Remark]:
    seen: set[str] = set()
    for at, evaluator in enumerate(made):
        for score in evaluator.judging.scores:
            if score in seen:
                reason = f"another evaluator gives the score {score}, too: name one otherwise"
                yield places.fault(f"evaluators.{at}.name", reason)
            seen.add(score)


def _unknown_scores(
    gates: Sequence[Gate], made: Sequence[Evaluator], places: Places
) -> Iterator[Remark]:
    scores = [score for one in made for score in one.judging.scores]
    known = frozenset(scores)
    for at, gate in enumerate(gates):
        if gate.score in known:
            continue
        below = [score for score in scores if score.startswith(f"{gate.score}/")]
        hint = f"; did you mean {below[0]}?" if below else _hint(gate.score, scores)
        reason = f"no evaluator of the file gives the score {gate.score!r}{hint}"
        yield places.fault(f"gates.{at}.score", reason)
