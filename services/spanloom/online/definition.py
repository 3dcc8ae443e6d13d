"""Checks the definition of an online rule, and creates the rule's condition and evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.tree import searches_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.query.where.tree import Condition
    from spanloom.evaluation.evaluator import Evaluator

NO_WORDS = (
    "conditions on words are not possible, because texts are indexed some seconds after a run "
    "changes; use fields"
)
JUDGE = "judge"
"""The kind of evaluator that costs money."""


def condition_of(where: str, now_ns: int) -> Condition | None:
    """Return the parsed ``where`` of a rule; ``None`` if it is empty.

    Relative times count from ``now_ns``. Raises ``InvalidWhereError``, and ``InvalidQueryError``
    for a search of words.
    """
    if not where.strip():
        return None
    condition = parse_where(where, now_ns)
    if searches_words(condition):
        raise InvalidQueryError(NO_WORDS, "where")
    return condition


def evaluators_of(text: str) -> Sequence[Evaluator]:
    """Return the evaluators of a rule; raises ``InvalidEvaluatorError``.

    Evaluators that run the code of a file are refused, because they would read the service's files.
    """
    from spanloom.evaluation.making import make_evaluators  # noqa: PLC0415  # only if rules exist

    return make_evaluators(orjson.loads(text))


def check(rule: OnlineRule, now_ns: int) -> None:
    """Raise ``InvalidQueryError`` or ``InvalidEvaluatorError`` for an invalid rule."""
    condition_of(rule.where, now_ns)
    evaluators = evaluators_of(rule.evaluators)
    if rule.budget.usd is not None:
        _refuse_unpriced([one.config for one in evaluators if one.kind == JUDGE])


def _refuse_unpriced(judges: Sequence[Mapping[str, Any]]) -> None:  # JSON values
    from spanloom.evaluation.judge.prices import rates_of  # noqa: PLC0415  # only for judges

    for config in judges:
        if rates_of(config["model"]) is None:
            reason = f"the price of {config['model']} is unknown; limit tokens, calls or runs"
            raise InvalidQueryError(reason, "budget.usd")
