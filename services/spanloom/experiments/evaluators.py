"""The evaluators of an experiment, as they were when it was started."""

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
    """Of the code that judges."""
    config_hash: str
    stored_version: int
    """Of the stored evaluator that was named; 0: it was written out."""
    config: Mapping[str, Any]  # JSON values


def text_of(evaluators: Sequence[ChosenEvaluator]) -> str:
    """Return evaluators as an experiment has them, JSON."""
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
    """Return the evaluators of such a text."""
    return [FrozenEvaluator(**one) for one in orjson.loads(text)]


def make_frozen(text: str) -> Sequence[Evaluator]:
    """Return evaluators that are ready to judge; raises ``InvalidEvaluatorError``."""
    return make_evaluators([one.config for one in read_evaluators(text)])
