"""Evaluates alerts on metrics: each group fires, fires again, or is resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.alerts.condition import NumberCondition, condition_of_definition, seconds_of
from spanloom.alerts.definition import read_definition
from spanloom.alerts.events import NewEvents, channels_of, next_event
from spanloom.core.errors import InvalidQueryError, PermanentError, StoreTooSmallError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import AlertEvent, AlertState, event_id
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.alert import Alert
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.query.stats import Group

SOONEST_S, LATEST_S = 5, 30
"""Minimum and maximum seconds between two evaluations of a metric.

Within these limits, a metric is evaluated 180 times per window.
"""
_PARTS = 180
log = get_logger("alerts")


class NumberAlerts:
    """Evaluates the metrics of all alerts, each when its next evaluation is due."""

    def __init__(self, store: ReadingStore) -> None:
        """Read alerts and metrics from a store."""
        self._store = store
        self._due_ns: dict[tuple[str, str, int], int] = {}

    def look(self, now_ns: int) -> NewEvents:
        """Return new events; raises ``RetryableError``."""
        alerts = self._store.alerts.list(Reach.ALL)
        conditions = {
            alert.place: (alert, condition)
            for alert in alerts
            if (condition := _number_condition_of(alert))
        }
        last = self._store.alerts.latest_numbers(Reach.ALL) if alerts else ()
        new = NewEvents()
        new.events += _ended({one.place: one for one in alerts}, last, now_ns)
        for alert, condition in conditions.values():
            if not alert.definition.get("paused") and self._is_due(alert, condition, now_ns):
                own = [e for e in last if _is_of(e, alert)]
                new.events += self._evaluated(alert, condition, own, now_ns)
        return new

    def _is_due(self, alert: Alert, condition: NumberCondition, now_ns: int) -> bool:
        """Return whether an alert's metric is due; if so, schedule the next evaluation."""
        place = *alert.place, alert.version
        if now_ns < self._due_ns.get(place, 0):
            return False
        every_s = min(max(condition.window_s / _PARTS, SOONEST_S), LATEST_S)
        self._due_ns[place] = now_ns + int(every_s * 10**9)
        return True

    def _evaluated(
        self, alert: Alert, condition: NumberCondition, last: Sequence[AlertEvent], now_ns: int
    ) -> Iterator[AlertEvent]:
        try:
            filters, query = condition.numbers(now_ns)
            groups = self._store.stats.numbers(Reach.only(alert.project), filters, query)
        except (PermanentError, StoreTooSmallError) as error:
            log.warning("a metric cannot be evaluated", alert=alert.name, error=str(error))
            return
        yield from _compared(alert, condition, groups, last, now_ns)


def _compared(
    alert: Alert,
    condition: NumberCondition,
    groups: Sequence[Group],
    last: Sequence[AlertEvent],
    now_ns: int,
) -> Iterator[AlertEvent]:
    """Yield new events of each group; a group without rows is known only from its last event."""
    now = {_key(group.by): group for group in groups}
    before = {_key(event.group): event for event in last}
    for key in now | before:
        group = now.get(key)
        value, count = (group.values[0], int(group.values[1] or 0)) if group else (None, 0)
        last_event = before.get(key)
        if condition.is_beyond(value, count):
            by = group.by if group else ()
            made = _fires(alert, by, key, value, last_event, now_ns)
        else:
            made = _resolved(alert, last_event, value, now_ns)
        if made is not None:
            yield made


def _fires(
    alert: Alert,
    by: Sequence[object],
    key: str,
    value: float | None,
    last_event: AlertEvent | None,
    now_ns: int,
) -> AlertEvent | None:
    channels = channels_of(alert)
    if last_event is not None and last_event.is_firing:
        if not _is_due_again(alert, last_event, now_ns):
            return None
        return next_event(last_event, AlertState.FIRING, now_ns, value=value, channels=channels)
    episode = 1 if last_event is None else last_event.episode + 1
    return AlertEvent(
        *(*alert.place, alert.version),
        event_id(*alert.place, alert.version, key, episode),
        1,
        AlertState.FIRING,
        now_ns // 1_000,
        group=list(by),
        episode=episode,
        value=value,
        channels=channels,
    )


def _resolved(
    alert: Alert, last_event: AlertEvent | None, value: float | None, now_ns: int
) -> AlertEvent | None:
    if last_event is None or not last_event.is_firing:
        return None
    channels = channels_of(alert)
    return next_event(last_event, AlertState.RESOLVED, now_ns, value=value, channels=channels)


def _is_due_again(alert: Alert, last_event: AlertEvent, now_ns: int) -> bool:
    after = read_definition(alert.definition).repeat_after
    if after is None:
        return False
    return now_ns // 1_000 >= last_event.at_us + seconds_of(after, "repeat_after") * 1_000_000


def _ended(
    alerts: Mapping[tuple[str, str], Alert], last: Sequence[AlertEvent], now_ns: int
) -> Iterator[AlertEvent]:
    """Yield, for each firing alert that was deleted or changed since, an event that resolves it."""
    for event in last:
        alert = alerts.get((event.project, event.alert))
        if alert is None or not event.is_firing or _is_of(event, alert):
            continue
        ended = "the alert was deleted" if alert.is_deleted else "the alert asks something else"
        reason, channels = {"ended": ended}, channels_of(alert)
        yield next_event(event, AlertState.RESOLVED, now_ns, reason, channels=channels)


def _is_of(event: AlertEvent, alert: Alert) -> bool:
    """Return whether an event is of the current version of an alert."""
    is_of = (event.project, event.alert, event.alert_version) == (*alert.place, alert.version)
    return is_of and not alert.is_deleted


def _number_condition_of(alert: Alert) -> NumberCondition | None:
    try:
        condition = None if alert.is_deleted else condition_of_definition(alert.definition)
    except InvalidQueryError as error:
        log.warning("an alert cannot be evaluated", alert=alert.name, error=str(error))
        return None
    return condition if isinstance(condition, NumberCondition) else None


def _key(group: Sequence[object]) -> str:
    return orjson.dumps(list(group)).decode()
