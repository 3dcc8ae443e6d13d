"""Online rules as people put, pause and delete them."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.errors import PermanentError
from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import (
    MOST_RULES,
    UNREAD_PROJECT,
    OnlineRule,
    RuleProgress,
)
from spanloom.following.follower import begin_at_end
from spanloom.online.definition import check
from spanloom.online.walks import wanted_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.online_rule import WalkPlace
    from spanloom.core.ports.feed import FeedReader
    from spanloom.core.ports.followers import FollowerStore
    from spanloom.core.ports.online_rules import OnlineRuleStore

FOLLOWER = "online-rules"
"""The name under which the change feed is followed."""
NO_PROGRESS = RuleProgress()


class UnknownRuleError(PermanentError):
    """The project has no such online rule (404)."""


class RuleRefusedError(PermanentError):
    """An online rule cannot be stored as things are (409)."""


class KeptRule(NamedTuple):
    """A rule, and how far it is."""

    rule: OnlineRule
    progress: RuleProgress
    walks: Sequence[WalkPlace]
    """The walks over runs of the past that it wants, as far as they have begun."""
    lag_s: float
    """For how long the oldest run that is due has waited."""


class OnlineRules:
    """Keeps the online rules of projects; thread-safe."""

    def __init__(
        self,
        store: OnlineRuleStore,
        followers: FollowerStore,
        feed: FeedReader,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Keep them in a store; ``clock_ns`` is in ns since the epoch.

        Where there was no rule, the follower of the feed begins at its end as one is put.
        """
        self._store = store
        self._followers = followers
        self._feed = feed
        self._clock_ns = clock_ns
        self._lock = Lock()

    def listed(self, project: str) -> Sequence[KeptRule]:
        """Return the rules of a project by name."""
        rules = [one for one in self._store.list(Reach.only(project)) if not one.is_deleted]
        return self._kept(project, rules)

    def get(self, project: str, name: str) -> KeptRule:
        """Return a rule; raises ``UnknownRuleError``."""
        return self._kept(project, [self._found(project, name)], name)[0]

    def put(self, project: str, name: str, changes: Mapping[str, Any], put_by: str) -> KeptRule:
        """Make a rule, or change the given attributes of one; the same again changes nothing.

        ``rescored`` is whether runs that it judged before are judged again, by a new version.
        Raises ``InvalidQueryError``, ``InvalidEvaluatorError`` and ``RuleRefusedError``.
        """
        if project == UNREAD_PROJECT:
            raise RuleRefusedError(
                f"No online rule reads {UNREAD_PROJECT}: judges send there what they do."
            )
        with self._lock:
            there = next(iter(self._store.list(Reach.only(project), name)), None)
            rule = self._changed(there, OnlineRule(project, name), changes)
            if there is None or there.is_deleted:
                self._refuse_more(project)
            check(rule, self._clock_ns())
            if rule != there:
                self._follow()
                at_us = max(self._clock_ns() // 1_000, (there.at_us + 1) if there else 0)
                self._store.put(replace(rule, at_us=at_us, put_by=put_by))
        return self.get(project, name)

    def delete(self, project: str, name: str, put_by: str) -> KeptRule:
        """Delete a rule, and return it; its scores stay. Raises ``UnknownRuleError``."""
        with self._lock:
            kept = self.get(project, name)
            at_us = max(self._clock_ns() // 1_000, kept.rule.at_us + 1)
            self._store.put(replace(kept.rule, is_deleted=True, at_us=at_us, put_by=put_by))
        return kept

    def _changed(
        self, there: OnlineRule | None, new: OnlineRule, changes: Mapping[str, Any]
    ) -> OnlineRule:
        """Return a rule with changes: of the next version if it judges otherwise then."""
        given = {name: value for name, value in changes.items() if name != "rescored"}
        if there is None:
            return replace(new, **given)
        if there.is_deleted:  # its versions go on: work of the old ones is still there
            return replace(new, version=there.version + 1, **given)
        rule = replace(there, **given)
        is_repeated = bool(changes.get("rescored"))
        if is_repeated or _judging(rule) != _judging(there):
            rule = replace(rule, version=there.version + 1)
        return replace(rule, rescored=rule.version) if is_repeated else rule

    def _follow(self) -> None:
        """Have the feed followed from now on, if there are no rules yet."""
        if all(one.is_deleted for one in self._store.list(Reach.ALL)):
            begin_at_end(self._feed, self._followers, FOLLOWER)

    def _refuse_more(self, project: str) -> None:
        there = [one for one in self._store.list(Reach.only(project)) if not one.is_deleted]
        if len(there) >= MOST_RULES:
            raise RuleRefusedError(f"The project has {MOST_RULES} online rules already.")

    def _found(self, project: str, name: str) -> OnlineRule:
        for rule in self._store.list(Reach.only(project), name):
            if not rule.is_deleted:
                return rule
        raise UnknownRuleError(f"There is no online rule {name!r} in this project: put it first.")

    def _kept(
        self, project: str, rules: Sequence[OnlineRule], name: str = ""
    ) -> Sequence[KeptRule]:
        progress = self._store.progress(project, name)
        places = self._store.places(Reach.only(project))
        now_us = self._clock_ns() // 1_000
        return [
            KeptRule(
                rule,
                own := progress.get(rule.name, NO_PROGRESS),
                [p for p in places if p.rule == rule.name and p.wanted == wanted_of(rule, p.walk)],
                lag_s(own, now_us),
            )
            for rule in rules
        ]


def lag_s(progress: RuleProgress, now_us: int) -> float:
    """Return for how many seconds the oldest pending run has been due."""
    due_us = progress.oldest_due_us
    return max(0, now_us - due_us) / 1_000_000 if due_us else 0.0


def _judging(rule: OnlineRule) -> tuple[object, ...]:
    """Return what makes a version, whatever the order of keys in its evaluators."""
    where, evaluators, *others = rule.judging
    return where, orjson.loads(str(evaluators)), *others
