"""Stores, changes, lists and deletes online rules."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.errors import ConflictError, NotFoundError
from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import (
    JUDGING,
    MOST_RULES,
    UNREAD_PROJECT,
    OnlineRule,
    RuleProgress,
)
from spanloom.following.follower import begin_at_end
from spanloom.online.definition import check
from spanloom.online.walks import walk_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.online_rule import WalkPlace
    from spanloom.core.ports.feed import FeedReader
    from spanloom.core.ports.followers import FollowerStore
    from spanloom.core.ports.online_rules import OnlineRuleStore

FOLLOWER = "online-rules"
"""Name of the change-feed follower."""
NO_PROGRESS = RuleProgress()


class UnknownRuleError(NotFoundError):
    """The project has no such online rule (404)."""


class RuleRefusedError(ConflictError):
    """The change conflicts with the stored rules (409)."""


class ListedRule(NamedTuple):
    """An online rule, and its progress."""

    rule: OnlineRule
    progress: RuleProgress
    walks: Sequence[WalkPlace]
    """The rule's backfill and rescoring of past runs, if begun, with their positions."""
    lag_s: float
    """Seconds since the oldest pending run was due."""


class OnlineRules:
    """The online rules of projects; thread-safe."""

    def __init__(
        self,
        store: OnlineRuleStore,
        followers: FollowerStore,
        feed: FeedReader,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Use a store; ``clock_ns`` returns ns since the epoch.

        When the first rule is stored, the current end of the ``feed`` is stored in ``followers`` as
        the position from which rules apply.
        """
        self._store = store
        self._followers = followers
        self._feed = feed
        self._clock_ns = clock_ns
        self._lock = Lock()

    def listed(self, project: str) -> Sequence[ListedRule]:
        """Return the rules of a project, sorted by name."""
        rules = [one for one in self._store.list(Reach.only(project)) if not one.is_deleted]
        return self._listed(project, rules)

    def get(self, project: str, name: str) -> ListedRule:
        """Return a rule; raises ``UnknownRuleError``."""
        return self._listed(project, [self._found(project, name)], name)[0]

    def put(self, project: str, name: str, changes: Mapping[str, Any], put_by: str) -> ListedRule:
        """Create a rule, or change attributes of a rule; repeated values change nothing.

        ``rescored`` in ``changes`` creates a new version, which judges the runs judged by earlier
        versions again. Raises ``InvalidQueryError``, ``InvalidEvaluatorError`` and
        ``RuleRefusedError``.
        """
        if project == UNREAD_PROJECT:
            raise RuleRefusedError(
                f"No online rule reads {UNREAD_PROJECT}: judges send there what they do."
            )
        with self._lock:
            current = next(iter(self._store.list(Reach.only(project), name)), None)
            rule = self._changed(current, OnlineRule(project, name), changes)
            if current is None or current.is_deleted:
                self._refuse_more(project)
            check(rule, self._clock_ns())
            if rule != current:
                self._follow()
                at_us = max(self._clock_ns() // 1_000, (current.at_us + 1) if current else 0)
                self._store.put(replace(rule, at_us=at_us, put_by=put_by))
        return self.get(project, name)

    def delete(self, project: str, name: str, put_by: str) -> ListedRule:
        """Delete a rule, but not its scores; return the rule. Raises ``UnknownRuleError``."""
        with self._lock:
            listed = self.get(project, name)
            at_us = max(self._clock_ns() // 1_000, listed.rule.at_us + 1)
            self._store.put(replace(listed.rule, is_deleted=True, at_us=at_us, put_by=put_by))
        return listed

    def _changed(
        self, current: OnlineRule | None, new: OnlineRule, changes: Mapping[str, Any]
    ) -> OnlineRule:
        """Return a rule with changes, as a new version if they affect which scores it gives."""
        attributes = {name: value for name, value in changes.items() if name != "rescored"}
        if current is None:
            return replace(new, **attributes)
        if current.is_deleted:  # work items of its old versions still exist
            return replace(new, version=current.version + 1, **attributes)
        rule = replace(current, **attributes)
        is_repeated = bool(changes.get("rescored"))
        if is_repeated or _judging(rule) != _judging(current):
            rule = replace(rule, version=current.version + 1)
        return replace(rule, rescored=rule.version) if is_repeated else rule

    def _follow(self) -> None:
        """Store the end of the feed as the follower's position if there are no rules yet."""
        if all(one.is_deleted for one in self._store.list(Reach.ALL)):
            begin_at_end(self._feed, self._followers, FOLLOWER)

    def _refuse_more(self, project: str) -> None:
        current = [one for one in self._store.list(Reach.only(project)) if not one.is_deleted]
        if len(current) >= MOST_RULES:
            raise RuleRefusedError(f"The project has {MOST_RULES} online rules already.")

    def _found(self, project: str, name: str) -> OnlineRule:
        for rule in self._store.list(Reach.only(project), name):
            if not rule.is_deleted:
                return rule
        raise UnknownRuleError(f"There is no online rule {name!r} in this project: put it first.")

    def _listed(
        self, project: str, rules: Sequence[OnlineRule], name: str = ""
    ) -> Sequence[ListedRule]:
        progress = self._store.progress(project, name)
        places = self._store.places(Reach.only(project))
        now_us = self._clock_ns() // 1_000
        return [
            ListedRule(
                rule,
                own := progress.get(rule.name, NO_PROGRESS),
                [p for p in places if p.rule == rule.name and p.wanted == walk_key(rule, p.walk)],
                lag_s(own, now_us),
            )
            for rule in rules
        ]


def lag_s(progress: RuleProgress, now_us: int) -> float:
    """Return the seconds since the oldest pending run was due."""
    due_us = progress.oldest_due_us
    return max(0, now_us - due_us) / 1_000_000 if due_us else 0.0


def _judging(rule: OnlineRule) -> Mapping[str, object]:
    """Return the attributes whose change makes a new version; the order of JSON keys is ignored."""
    judging = {name: getattr(rule, name) for name in JUDGING}
    return {**judging, "evaluators": orjson.loads(rule.evaluators)}
