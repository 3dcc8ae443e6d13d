"""Reads and writes the evaluators of an experiment, which are fixed when the experiment starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.evaluation.making import make_evaluators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.evaluators.service import ChosenEvaluator


class FrozenEvaluator(NamedTuple):
    """An evaluator of an experiment."""

    name: str
    kind: str
    version: str
    """The version of the evaluator's code."""
    config_hash: str
    stored_version: int
    """The version of the stored evaluator; 0 if the definition was in the request."""
    config: Mapping[str, Any]  # JSON values


def text_of(evaluators: Sequence[ChosenEvaluator]) -> str:
    """Return evaluators as JSON text, to be stored with an experiment."""
    frozen = [
        FrozenEvaluator(
            one.made.name,
            one.made.kind,
            one.made.judging.version,
            one.made.config_hash,
            one.stored_version,
            one.config,
        )._asdict()
        for one in evaluators
    ]
    return orjson.dumps(frozen).decode()


def read_evaluators(text: str) -> Sequence[FrozenEvaluator]:
    """Return the evaluators in the JSON text that is stored with an experiment."""
    return [FrozenEvaluator(**one) for one in orjson.loads(text)]


def make_frozen(text: str) -> Sequence[Evaluator]:
    """Create the evaluators from the JSON text that is stored with an experiment.

    Raises ``InvalidEvaluatorError``.
    """
    return make_evaluators([one.config for one in read_evaluators(text)])
