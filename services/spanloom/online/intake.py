"""Creates work items for runs that match rules, with one query per condition and one INSERT."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, StoreTooSmallError
from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import Work, WorkState
from spanloom.core.model.trajectory import Status
from spanloom.online.candidate import is_eligible
from spanloom.online.definition import condition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.online_rules import OnlineRuleStore
    from spanloom.core.ports.reading import RunReader
    from spanloom.core.query.where.tree import Condition
    from spanloom.online.candidate import Candidate

FEWEST = 50
"""If a query over fewer runs fails, it is not split further."""
MAX_ERROR = 500
"""Maximum characters of an error in a work item."""


class Intake:
    """Creates work items for versions of runs; creating an item again changes nothing."""

    def __init__(
        self,
        runs: RunReader,
        store: OnlineRuleStore,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Evaluate conditions with ``runs``, store work items in ``store``.

        ``clock_ns`` returns ns since the epoch.
        """
        self._runs = runs
        self._store = store
        self._clock_ns = clock_ns

    def take(self, candidates: Sequence[Candidate], rules: Sequence[OnlineRule]) -> int:
        """Store a work item for each of the ``rules`` and each run that the rule has to judge.

        Returns the number of items, which are durable by then. If a condition cannot be evaluated,
        the rule's items have the error, and other rules are not affected. Raises ``RetryableError``
        if the store is unavailable.
        """
        newest = {one.key: one for one in sorted(candidates, key=lambda one: one.version)}
        eligible = {
            rule.id: {key: one for key, one in newest.items() if is_eligible(rule, one)}
            for rule in rules
        }
        matches = self._matches(rules, eligible)
        work = [
            row
            for rule in rules
            for one in eligible[rule.id].values()
            if (row := _work(rule, one, matches[rule.project, rule.where].get(one.key)))
        ]
        self._store.add_work(work)
        return len(work)

    def _matches(
        self,
        rules: Sequence[OnlineRule],
        eligible: Mapping[tuple[str, str], Mapping[TraceKey, Candidate]],
    ) -> Mapping[tuple[str, str], Mapping[TraceKey, str]]:
        """Return runs to create work items for, keyed by project and ``where``, each with an error.

        The error is empty if the condition was evaluated, and so the run meets it.
        """
        keys: defaultdict[tuple[str, str], dict[TraceKey, None]] = defaultdict(dict)
        for rule in rules:
            keys[rule.project, rule.where] |= dict.fromkeys(eligible[rule.id])
        found: dict[tuple[str, str], Mapping[TraceKey, str]] = {}
        conditions_of: defaultdict[str, dict[str, Condition]] = defaultdict(dict)
        for (project, where), own_keys in keys.items():
            try:
                condition = condition_of(where, self._clock_ns())
            except PermanentError as error:  # a field that is no longer known
                found[project, where] = dict.fromkeys(own_keys, str(error)[:MAX_ERROR])
                continue
            found[project, where] = dict.fromkeys(own_keys, "") if condition is None else {}
            if condition is not None and own_keys:
                conditions_of[project][where] = condition
        for project, conditions in conditions_of.items():
            of_each = {where: list(keys[project, where]) for where in conditions}
            for where, met in self._match_each(project, conditions, of_each).items():
                found[project, where] = met
        return found

    def _match_each(
        self,
        project: str,
        conditions: Mapping[str, Condition],
        keys: Mapping[str, list[TraceKey]],
    ) -> Mapping[str, Mapping[TraceKey, str]]:
        """Evaluate all conditions of a project with one query; if it fails, one by one."""
        every = list(dict.fromkeys(key for own_keys in keys.values() for key in own_keys))
        wheres, reach = list(conditions.values()), Reach.only(project)
        try:
            met = self._runs.matching_each(every, reach, wheres)
        except (PermanentError, StoreTooSmallError):
            return {w: self._match(project, one, keys[w]) for w, one in conditions.items()}
        return {
            where: {key: "" for key in keys[where] if key in those}
            for where, those in zip(conditions, met, strict=True)
        }

    def _match(
        self, project: str, condition: Condition, keys: list[TraceKey]
    ) -> dict[TraceKey, str]:
        if not keys:
            return {}
        try:
            found = self._runs.matching_among(keys, Reach.only(project), condition)
        except (PermanentError, StoreTooSmallError) as error:
            if len(keys) < FEWEST:
                return dict.fromkeys(keys, str(error)[:MAX_ERROR])
            middle = len(keys) // 2
            first = self._match(project, condition, keys[:middle])
            return first | self._match(project, condition, keys[middle:])
        return dict.fromkeys(found, "")


def _work(rule: OnlineRule, candidate: Candidate, error: str | None) -> Work | None:
    """Return a work item for a rule and a run; ``None`` if the run does not match."""
    if error is None:
        return None
    delay_us = 0 if candidate.is_past else round(rule.delay_s * 1_000_000)
    return Work(
        candidate.key,
        rule.name,
        rule.version,
        candidate.version,
        candidate.at_us,
        candidate.at_us + delay_us,
        is_settled=candidate.status is Status.SETTLED,
        state=WorkState.ERROR if error else WorkState.PENDING,
        error=error,
    )
