"""Creates work items from the change feed and for past runs, in one process at a time.

If two processes do it for a moment, both store the same items, which is harmless.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.sharing import hold_all
from spanloom.following.follower import FeedFollower
from spanloom.following.sharing import owns
from spanloom.online.candidate import Candidate
from spanloom.online.intake import Intake
from spanloom.online.service import FOLLOWER, NO_PROGRESS, lag_s
from spanloom.online.walker import Walker
from spanloom.outage import Outage
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.sharing import Slices
    from spanloom.metrics import Metrics
    from spanloom.online.current import CurrentRules

EVERY_S = 1.0
LAG_EVERY_S = 15.0
"""Seconds between updates of the lag metric."""


class OnlineFollower(RepeatingPart):
    """Creates work items in the background; after a restart it continues where it stopped."""

    name = "online-rules"

    def __init__(
        self,
        store: ReadingStore,
        rules: CurrentRules,
        metrics: Metrics,
        every_s: float = EVERY_S,
        outage: Outage | None = None,
        held: Callable[[], Slices] = hold_all,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Follow the feed of a store while this process is chosen to do so.

        All work is divided into slices; ``held`` returns the slices of this process. The process
        that holds a certain slice follows the feed. ``outage`` logs failures of the store.
        """
        super().__init__(every_s)
        self._rules = rules
        self._store = store.online_rules
        self._metrics = metrics
        self._outage = outage or Outage()
        self._held = held
        self._clock_ns = clock_ns
        self._follower = FeedFollower(store.feed, store.followers, FOLLOWER)
        self._intake = Intake(store.runs, store.online_rules, clock_ns)
        self._walker = Walker(store, self._intake, clock_ns)
        self._lags_set_s = float("-inf")

    def run_once(self) -> bool:
        """Process the next page of the feed, and of past runs for each rule that judges them.

        Returns whether there is more.
        """
        rules = [rule for rule in self._rules.all() if not rule.is_deleted]
        if not rules or not owns(self._held(), FOLLOWER):
            self._follower.forget()
            self._metrics.online_rule_lag.clear()
            return False
        self._follow(rules)
        has_more = self._walker.step(rules)
        self._set_lags(rules)
        return has_more or self._follower.has_more

    def _follow(self, rules: Sequence[OnlineRule]) -> None:
        """Process a page of the feed, without annotations and scores: they change no run."""
        candidates = [
            Candidate.of_line(one.now, one.changed_us)
            for one in self._follower.read()
            if one.now is not None and not one.is_judgement
        ]
        if candidates:
            self._intake.take(candidates, rules)
        self._follower.keep()

    def _set_lags(self, rules: Sequence[OnlineRule]) -> None:
        """Update the lag metric: by rule name, the largest lag over all projects."""
        if time.monotonic() - self._lags_set_s < LAG_EVERY_S:
            return
        lags: defaultdict[str, float] = defaultdict(float)
        now_us = self._clock_ns() // 1_000
        progress = {p: self._store.progress(p) for p in {rule.project for rule in rules}}
        for rule in rules:
            own = progress[rule.project].get(rule.name, NO_PROGRESS)
            lags[rule.name] = max(lags[rule.name], lag_s(own, now_us))
        self._metrics.online_rule_lag.clear()
        for name, late_s in lags.items():
            self._metrics.online_rule_lag.labels(name).set(late_s)
        self._lags_set_s = time.monotonic()

    def _round(self) -> None:
        with self._outage.watched(self.name):
            while self.run_once() and not self._stopping.is_set():
                pass
