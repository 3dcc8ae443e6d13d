"""Counts the daily spending of rules, and compares it with their budgets."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.model.online_rule import NO_BUDGET, Spent
from spanloom.online.evaluator_cache import day_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.model.online_rule import OnlineRule, RuleId
    from spanloom.core.ports.online_rules import OnlineRuleStore

FRESH_US = 1_000_000
"""Microseconds for which spending is cached; other processes spend, so it is read again then."""


class Budgets:
    """Checks the daily budgets of all rules; thread-safe.

    Limits are checked before a run is judged, so only runs in progress can exceed them. The limit
    on the number of runs is exact within a process.
    """

    def __init__(self, store: OnlineRuleStore, clock_ns: Callable[[], int] = time.time_ns) -> None:
        """Read spending from a store; ``clock_ns`` returns ns since the epoch."""
        self._store = store
        self._clock_ns = clock_ns
        self._lock = Lock()
        self._read: dict[RuleId, tuple[int, Spent]] = {}
        self._begun: dict[RuleId, int] = {}
        """The number of runs in progress, keyed by rule."""
        self._unstored: dict[RuleId, Spent] = {}

    def is_spent(self, rule: OnlineRule) -> bool:
        """Return whether the budget of a rule is spent for today; raises ``RetryableError``."""
        if rule.budget == NO_BUDGET:
            return False
        with self._lock:
            return self._is_over(rule)

    def begin(self, rule: OnlineRule) -> bool:
        """Return whether the budget allows one more run; if so, count it as in progress."""
        if rule.budget == NO_BUDGET:
            return True
        with self._lock:
            if self._is_over(rule):
                return False
            self._begun[rule.id] = self._begun.get(rule.id, 0) + 1
            return True

    def end(self, rule: OnlineRule, spent: Spent) -> None:
        """Count what a finished run cost, until ``stored`` is called."""
        if rule.budget == NO_BUDGET:
            return
        with self._lock:
            self._begun[rule.id] = max(0, self._begun.get(rule.id, 0) - 1)
            self._unstored[rule.id] = _sum(self._unstored.get(rule.id, Spent()), spent)

    def stored(self) -> None:
        """Forget the spending counted by ``end``, because the store has it now."""
        with self._lock:
            self._unstored.clear()
            self._read.clear()

    def _is_over(self, rule: OnlineRule) -> bool:
        spent = _sum(self._spent(rule), self._unstored.get(rule.id, Spent()))
        begun = self._begun.get(rule.id, 0)
        spent = spent._replace(runs=spent.runs + begun)
        limits = zip(rule.budget, spent, strict=True)
        return any(limit is not None and used >= limit for limit, used in limits)

    def _spent(self, rule: OnlineRule) -> Spent:
        now_us = self._clock_ns() // 1_000
        read_us, spent = self._read.get(rule.id, (0, Spent()))
        if read_us <= now_us - FRESH_US:
            spent = self._store.spent(*rule.id, day_of(now_us))
            self._read[rule.id] = now_us, spent
        return spent


def _sum(one: Spent, other: Spent) -> Spent:
    usd, tokens, calls, runs = (a + b for a, b in zip(one, other, strict=True))
    return Spent(usd, int(tokens), int(calls), int(runs))
