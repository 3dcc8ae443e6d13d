"""Evaluates alerts on runs for a page of changed runs: events that fire or are withdrawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from spanloom.alerts.condition import RunCondition, condition_of_definition
from spanloom.alerts.events import NewEvents, channels_of, first_event, next_event
from spanloom.alerts.run_version import RunVersion
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import AlertState, RunEvidence
from spanloom.core.model.trajectory import Status
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from spanloom.core.matching.verdict import Verdict
    from spanloom.core.model.alert import Alert, AlertEvent
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.reading import ReadingStore

PAGE_BYTES = 8 << 20
"""Bytes of documents that are read at once; at least one document is read."""
MOST_KEYS = 1_000
"""Maximum runs in one query to the store."""
log = get_logger("alerts")


@dataclass(frozen=True, slots=True)
class _Check:
    """One version of an alert to evaluate on one run."""

    alert: Alert
    """A revision of the alert that has this version."""
    channels: Sequence[str]
    condition: RunCondition
    key: TraceKey
    last: AlertEvent | None
    """The last event of this version of the alert about the run."""
    store_match: bool | None
    """Whether the run meets the condition in the store; ``None`` if it was not queried."""
    may_fire: bool

    @property
    def fires(self) -> bool:
        return self.last is not None and self.last.is_firing

    @property
    def needs_run(self) -> bool:
        return self.store_match is not False or self.fires


class RunAlerts:
    """Evaluates the conditions of all alerts on changed runs."""

    def __init__(self, store: ReadingStore) -> None:
        """Read alerts, runs and documents from a store."""
        self._store = store

    def look(self, keys: Iterable[TraceKey], now_ns: int) -> NewEvents:
        """Return new events about the runs; none for states that are stored already.

        Raises ``RetryableError``.
        """
        by_project: dict[str, list[TraceKey]] = {}
        for key in dict.fromkeys(keys):
            by_project.setdefault(key.project, []).append(key)
        alerts = self._store.alerts.list(Reach.only(*by_project)) if by_project else ()
        checks = [
            check
            for project, own in by_project.items()
            for check in self._checks(
                [one for one in alerts if one.project == project], own, now_ns
            )
        ]
        return self._judge([check for check in checks if check.needs_run], now_ns)

    def look_at_deleted(self, limit: int, now_ns: int) -> NewEvents:
        """Return an event that withdraws a firing alert, for each firing event of a deleted run."""
        events = self._store.alerts.firing_of_deleted(limit)
        projects = {event.project for event in events}
        listed = self._store.alerts.list(Reach.only(*projects)) if projects else ()
        alerts = {one.place: one for one in listed if not one.is_deleted}
        state, reason = AlertState.WITHDRAWN, {"deleted": True}
        withdrawn = (
            next_event(event, state, now_ns, reason, channels=channels_of(alerts.get(place)))
            for event in events
            for place in [(event.project, event.alert)]
        )
        return NewEvents(list(withdrawn))

    def _checks(
        self, alerts: Sequence[Alert], keys: Sequence[TraceKey], now_ns: int
    ) -> Iterator[_Check]:
        """Yield the checks to make on the runs of one project, with results of store queries."""
        current = {alert.name: alert for alert in alerts if not alert.is_deleted}
        if not current:
            return
        last = {
            (event.alert, event.alert_version, event.key): event
            for event in self._store.alerts.latest(keys)
            if event.alert in current
        }
        for alert in current.values():
            own = {key: last.get((alert.name, alert.version, key)) for key in keys}
            yield from self._checks_of(alert, alert, own, now_ns)
        yield from self._of_older(current, last.values(), now_ns)

    def _of_older(
        self, current: Mapping[str, Alert], last: Iterable[AlertEvent], now_ns: int
    ) -> Iterator[_Check]:
        """Yield checks of older versions of alerts, for the runs on which they are still firing."""
        firing: dict[tuple[str, int], dict[TraceKey, AlertEvent]] = {}
        for event in last:
            if event.is_firing and event.alert_version != current[event.alert].version:
                firing.setdefault((event.alert, event.alert_version), {})[event.key] = event
        for (name, version), events in firing.items():
            now = current[name]
            for older in self._store.alerts.versions(now.project, name):
                if older.version == version:
                    yield from self._checks_of(older, now, events, now_ns, may_fire=False)

    def _checks_of(
        self,
        alert: Alert,
        current: Alert,
        last: Mapping[TraceKey, AlertEvent | None],
        now_ns: int,
        *,
        may_fire: bool = True,
    ) -> Iterator[_Check]:
        condition = run_condition_of(alert)
        if condition is None:
            return
        may_fire = may_fire and not current.definition.get("paused")
        due_keys = [key for key, one in last.items() if may_fire or (one and one.is_firing)]
        found = self._found(condition, alert.project, due_keys, now_ns)
        channels = channels_of(current)
        for key in due_keys:
            store_match = None if found is None else key in found
            yield _Check(alert, channels, condition, key, last[key], store_match, may_fire)

    def _found(
        self, condition: RunCondition, project: str, keys: Sequence[TraceKey], now_ns: int
    ) -> AbstractSet[TraceKey] | None:
        """Return the runs that meet a condition by a store query.

        ``None`` means that there was no query, so the documents must be checked.
        """
        if condition.reads_words or not keys:
            return None
        try:
            where, reach = condition.at(now_ns), Reach.only(project)
            found: set[TraceKey] = set()
            for at in range(0, len(keys), MOST_KEYS):
                found |= self._store.runs.matching_among(keys[at : at + MOST_KEYS], reach, where)
        except InvalidQueryError as error:
            log.warning(
                "the condition of an alert cannot be evaluated by the store",
                where=condition.text,
                error=str(error),
            )
            return None
        return found

    def _judge(self, checks: Sequence[_Check], now_ns: int) -> NewEvents:
        """Return the events of checks; runs are read one after another."""
        by_key: dict[TraceKey, list[_Check]] = {}
        for check in checks:
            by_key.setdefault(check.key, []).append(check)
        new = NewEvents()
        for key, document in self._documents(list(by_key)):
            run = RunVersion.of(document)
            if run is not None:
                for check in by_key[key]:
                    self._decide(check, run, now_ns, new)
        return new

    def _documents(self, keys: Sequence[TraceKey]) -> Iterator[tuple[TraceKey, Mapping[str, Any]]]:
        left = list(keys)
        while left:
            read = self._store.documents.many(left, PAGE_BYTES)
            for key, document in zip(left, read, strict=False):
                if document is not None:
                    yield key, orjson.loads(document)
            left = left[max(len(read), 1) :]

    def _decide(self, check: _Check, run: RunVersion, now_ns: int, new: NewEvents) -> None:
        """Add an event to ``new`` if the check starts or withdraws the alert for the run."""
        verdict = run.evaluate(check.condition, now_ns, check.store_match)
        event = None if verdict is None else self._event(check, run, verdict, now_ns)
        if verdict is not None and event is not None:
            new.events.append(replace(event, channels=check.channels))
            shown = RunEvidence(check.key, event.id, event.number, run.shown(verdict))
            new.shown.append(shown)

    def _event(
        self, check: _Check, run: RunVersion, verdict: Verdict, now_ns: int
    ) -> AlertEvent | None:
        last, holds = check.last, verdict.holds and not run.duplicate_of
        if last is not None and last.is_firing:
            if holds:
                return None
            before = self._store.alerts.shown([last]).get((last.id, last.number), {})
            reason = run.reason(before)
            return next_event(last, AlertState.WITHDRAWN, now_ns, reason, version=run.version)
        is_known = check.condition.is_lasting or run.status is Status.SETTLED
        if not (holds and is_known and check.may_fire):
            return None
        if last is None:
            return first_event(check.alert, check.key, run.version, now_ns)
        return next_event(last, AlertState.FIRING, now_ns, version=run.version)


def run_condition_of(alert: Alert) -> RunCondition | None:
    """Return the condition of an alert on runs; ``None`` for a metric or an unknown field."""
    try:
        condition = condition_of_definition(alert.definition)
    except InvalidQueryError as error:
        log.warning("an alert cannot be evaluated", alert=alert.name, error=str(error))
        return None
    return condition if isinstance(condition, RunCondition) else None
