"""In-memory online rules and their work."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.model.online_rule import RuleProgress, Spent, WorkState
from spanloom.core.sharing import covers

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.online_rule import OnlineRule, RuleId, WalkPlace, Work
    from spanloom.core.model.span import TraceKey
    from spanloom.core.sharing import Slices


class MemoryOnlineRules(MemorySubject):
    """Online rules, their work, and the positions of their walks over stored runs."""

    def put(self, rule: OnlineRule) -> None:
        """See ``OnlineRuleStore.put``."""
        since_us = rule.since_us or self._state.clock_ns() // 1_000
        with self._state.lock:
            there = self._state.online_rules.get(rule.id, rule)
            if rule.at_us >= there.at_us:
                self._state.online_rules[rule.id] = replace(rule, since_us=since_us)

    def list(self, reach: Reach, name: str = "") -> Sequence[OnlineRule]:
        """See ``OnlineRuleStore.list``."""
        with self._state.lock:
            rules = list(self._state.online_rules.values())
        found = [r for r in rules if reach.covers(r.project) and name in ("", r.name)]
        return sorted(found, key=attrgetter("id"))

    def add_work(self, work: Sequence[Work]) -> None:
        """See ``OnlineRuleStore.add_work``."""
        with self._state.lock:
            for one in work:
                there = self._state.online_work.get(one.id, one)
                if one.revision >= there.revision:
                    self._state.online_work[one.id] = one

    def waiting(
        self,
        slices: Slices,
        now_us: int,
        limit: int,
        rules: Collection[RuleId],
        states: Collection[WorkState],
    ) -> Sequence[Work]:
        """See ``OnlineRuleStore.waiting``."""
        found = [
            one
            for one in self._work()
            if one.state in states
            and one.rule_id in rules
            and covers(slices, one.key)
            and one.due_us <= now_us
        ]
        found.sort(key=lambda one: (one.state is WorkState.DEFERRED, one.due_us, *one.id))
        return found[:limit]

    def work_of(self, keys: Sequence[TraceKey]) -> Sequence[Work]:
        """See ``OnlineRuleStore.work_of``."""
        wanted = set(keys)
        return sorted((one for one in self._work() if one.key in wanted), key=attrgetter("id"))

    def progress(self, project: str, name: str = "") -> Mapping[str, RuleProgress]:
        """See ``OnlineRuleStore.progress``."""
        newest: dict[tuple[str, TraceKey], Work] = {}
        for one in sorted(self._of(project, name), key=lambda one: (one.rule_version, one.version)):
            if one.state is not WorkState.DROPPED:
                newest[one.rule, one.key] = one
        found = {rule for rule, _ in newest}
        return {rule: _progress([w for w in newest.values() if w.rule == rule]) for rule in found}

    def spent(self, project: str, name: str, since_us: int) -> Spent:
        """See ``OnlineRuleStore.spent``."""
        own = [one for one in self._of(project, name) if one.judged_us >= since_us]
        return Spent(
            sum(one.cost for one in own),
            sum(one.tokens for one in own),
            sum(one.calls for one in own),
            sum(one.is_judged for one in own),
        )

    def judged_before(
        self, project: str, name: str, version: int, after: str, limit: int
    ) -> Sequence[str]:
        """See ``OnlineRuleStore.judged_before``."""
        found = {
            one.key.trace_id
            for one in self._of(project, name)
            if one.key.trace_id > after and one.rule_version < version
        }
        return sorted(found)[:limit]

    def place(self, place: WalkPlace) -> None:
        """See ``OnlineRuleStore.place``."""
        with self._state.lock:
            self._state.online_walks[place.project, place.rule, place.walk] = place

    def places(self, reach: Reach) -> Sequence[WalkPlace]:
        """See ``OnlineRuleStore.places``."""
        with self._state.lock:
            found = sorted(self._state.online_walks.items())
        return [place for (project, *_), place in found if reach.covers(project)]

    def _of(self, project: str, name: str) -> Sequence[Work]:
        found = (one for one in self._work() if one.key.project == project)
        return [one for one in found if name in ("", one.rule)]

    def _work(self) -> Sequence[Work]:
        with self._state.lock:
            found = list(self._state.online_work.values())
            return [one for one in found if one.key not in self._state.deleted]


def _progress(own: Sequence[Work]) -> RuleProgress:
    counts = Counter(one.state.value for one in own)
    due = [one.due_us for one in own if one.state is WorkState.PENDING]
    names = ("pending", "done", "error", "deferred", "stale")
    return RuleProgress(**{name: counts[name] for name in names}, oldest_due_us=min(due, default=0))
