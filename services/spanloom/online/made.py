"""The evaluators of rules, made once a day: those with a budget of their own begin anew then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.online.definition import JUDGE, evaluators_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.evaluation.evaluator import Evaluator

DAY_US = 24 * 3600 * 1_000_000


def day_of(now_us: int) -> int:
    """Return the beginning of the day (UTC), in µs since the epoch."""
    return now_us - now_us % DAY_US


class MadeEvaluators:
    """Makes the evaluators of rules, and keeps those that are in use."""

    def __init__(self) -> None:
        """Start without any."""
        self._made: dict[tuple[str, str], tuple[str, int, Sequence[Evaluator]]] = {}

    def of(self, rule: OnlineRule, now_us: int) -> Sequence[Evaluator]:
        """Return the evaluators of a rule; raises ``InvalidEvaluatorError`` for one of old."""
        day, known = day_of(now_us), self._made.get(rule.id)
        if known is not None and known[:2] == (rule.evaluators, day):
            return known[2]
        made = evaluators_of(rule.evaluators)
        self._made[rule.id] = rule.evaluators, day, made
        return made


def costs(evaluators: Sequence[Evaluator]) -> bool:
    """Return whether one of the evaluators asks a model."""
    return any(one.kind == JUDGE for one in evaluators)
