"""Makes work of runs that rules want: one read for all rules that ask the same, one INSERT."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, StoreTooSmallError
from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import Work, WorkState
from spanloom.core.model.trajectory import Status
from spanloom.online.asked import is_asked
from spanloom.online.definition import condition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.online_rules import OnlineRuleStore
    from spanloom.core.ports.reading import RunReader
    from spanloom.core.query.where.tree import Condition
    from spanloom.online.asked import Asked

FEWEST = 50
"""Runs that are no longer asked for in smaller pieces, where a condition cannot be answered."""
MAX_ERROR = 500
"""Characters of an error that work keeps."""


class Intake:
    """Takes in versions of runs; to take the same in again changes nothing."""

    def __init__(
        self,
        runs: RunReader,
        store: OnlineRuleStore,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Ask ``runs`` for conditions, and store work; ``clock_ns`` is in ns since the epoch."""
        self._runs = runs
        self._store = store
        self._clock_ns = clock_ns

    def take(self, asked: Sequence[Asked], rules: Sequence[OnlineRule]) -> int:
        """Store the work of these rules with these runs, durable on return; return how much.

        A rule whose condition cannot be answered gets work that failed, which hinders no other one.
        Raises ``RetryableError`` if the store is away.
        """
        newest = {one.key: one for one in sorted(asked, key=lambda one: one.version)}
        wanted = {
            rule.id: {key: one for key, one in newest.items() if is_asked(rule, one)}
            for rule in rules
        }
        meeting = self._meeting(rules, wanted)
        work = [
            row
            for rule in rules
            for one in wanted[rule.id].values()
            if (row := _work(rule, one, meeting[rule.project, rule.where].get(one.key)))
        ]
        self._store.add_work(work)
        return len(work)

    def _meeting(
        self,
        rules: Sequence[OnlineRule],
        wanted: Mapping[tuple[str, str], Mapping[TraceKey, Asked]],
    ) -> Mapping[tuple[str, str], Mapping[TraceKey, str]]:
        """Return the runs that meet each condition, by project and text, each with an error.

        The error is empty where the condition was answered.
        """
        keys: defaultdict[tuple[str, str], dict[TraceKey, None]] = defaultdict(dict)
        for rule in rules:
            keys[rule.project, rule.where] |= dict.fromkeys(wanted[rule.id])
        found: dict[tuple[str, str], Mapping[TraceKey, str]] = {}
        asked: defaultdict[str, dict[str, Condition]] = defaultdict(dict)
        for (project, where), own in keys.items():
            try:
                condition = condition_of(where, self._clock_ns())
            except PermanentError as error:  # a field that is no longer known
                found[project, where] = dict.fromkeys(own, str(error)[:MAX_ERROR])
                continue
            found[project, where] = dict.fromkeys(own, "") if condition is None else {}
            if condition is not None and own:
                asked[project][where] = condition
        for project, conditions in asked.items():
            of_each = {where: list(keys[project, where]) for where in conditions}
            for where, met in self._ask_each(project, conditions, of_each).items():
                found[project, where] = met
        return found

    def _ask_each(
        self,
        project: str,
        conditions: Mapping[str, Condition],
        keys: Mapping[str, list[TraceKey]],
    ) -> Mapping[str, Mapping[TraceKey, str]]:
        """Ask all conditions of a project by one read; one by one if one cannot be answered."""
        every = list(dict.fromkeys(key for own in keys.values() for key in own))
        wheres, reach = list(conditions.values()), Reach.only(project)
        try:
            met = self._runs.matching_each(every, reach, wheres)
        except (PermanentError, StoreTooSmallError):
            return {w: self._ask(project, one, keys[w]) for w, one in conditions.items()}
        return {
            where: {key: "" for key in keys[where] if key in those}
            for where, those in zip(conditions, met, strict=True)
        }

    def _ask(self, project: str, condition: Condition, keys: list[TraceKey]) -> dict[TraceKey, str]:
        if not keys:
            return {}
        try:
            found = self._runs.matching_among(keys, Reach.only(project), condition)
        except (PermanentError, StoreTooSmallError) as error:
            if len(keys) < FEWEST:
                return dict.fromkeys(keys, str(error)[:MAX_ERROR])
            middle = len(keys) // 2
            first = self._ask(project, condition, keys[:middle])
            return first | self._ask(project, condition, keys[middle:])
        return dict.fromkeys(found, "")


def _work(rule: OnlineRule, asked: Asked, error: str | None) -> Work | None:
    """Return the work of a rule with a run; ``None`` if the run does not meet its condition."""
    if error is None:
        return None
    delay_us = 0 if asked.is_past else round(rule.delay_s * 1_000_000)
    return Work(
        asked.key,
        rule.name,
        rule.version,
        asked.version,
        asked.at_us,
        asked.at_us + delay_us,
        is_settled=asked.status is Status.SETTLED,
        state=WorkState.ERROR if error else WorkState.PENDING,
        error=error,
    )
