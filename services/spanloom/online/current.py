"""Caches the current online rules, for all components of the process."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.ports.online_rules import OnlineRuleStore

FRESH_S = 1.0
IDLE_S = 3.0
"""Seconds until rules are read again if there are none."""


class CurrentRules:
    """Caches the online rules of all projects; thread-safe."""

    def __init__(
        self,
        store: OnlineRuleStore,
        fresh_s: float = FRESH_S,
        idle_s: float = IDLE_S,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read rules from a store at most every ``fresh_s`` seconds; ``clock_s`` is monotonic."""
        self._store = store
        self._fresh_s = fresh_s
        self._idle_s = idle_s
        self._clock_s = clock_s
        self._lock = Lock()
        self._rules: Sequence[OnlineRule] = ()
        self._next_s = float("-inf")

    def all(self) -> Sequence[OnlineRule]:
        """Return all rules, including deleted rules; raises ``RetryableError``."""
        with self._lock:
            if self._clock_s() >= self._next_s:
                self._rules = self._store.list(Reach.ALL)
                is_idle = all(rule.is_deleted for rule in self._rules)
                self._next_s = self._clock_s() + (self._idle_s if is_idle else self._fresh_s)
            return self._rules
