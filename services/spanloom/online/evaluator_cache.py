"""Caches the evaluators of online rules for a day, because their own budgets are per day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.online.definition import JUDGE, evaluators_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.evaluation.evaluator import Evaluator

DAY_US = 24 * 3600 * 1_000_000


def day_of(now_us: int) -> int:
    """Return the start of the UTC day that contains a time, both in µs since the epoch."""
    return now_us - now_us % DAY_US


class EvaluatorCache:
    """Creates and caches the evaluators of rules."""

    def __init__(self) -> None:
        """Start empty."""
        self._cached: dict[tuple[str, str], tuple[str, int, Sequence[Evaluator]]] = {}

    def of(self, rule: OnlineRule, now_us: int) -> Sequence[Evaluator]:
        """Return the evaluators of a rule; raises ``InvalidEvaluatorError``."""
        day, cached = day_of(now_us), self._cached.get(rule.id)
        if cached is not None and cached[:2] == (rule.evaluators, day):
            return cached[2]
        made = evaluators_of(rule.evaluators)
        self._cached[rule.id] = rule.evaluators, day, made
        return made


def costs(evaluators: Sequence[Evaluator]) -> bool:
    """Return whether any of the evaluators calls a model."""
    return any(one.kind == JUDGE for one in evaluators)
