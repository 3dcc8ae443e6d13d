"""What alerts about numbers find: which groups fire, which are told again, which are resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.alerts.definition import read_definition
from spanloom.alerts.events import Found, becomes, channels_of
from spanloom.alerts.question import NumberLine, question_of, seconds_of
from spanloom.core.errors import InvalidQueryError, PermanentError, StoreTooSmallError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import AlertEvent, AlertState, event_id
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.alert import Alert
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.query.stats import Group

SOONEST_S, LATEST_S = 5, 30
"""Seconds between two looks at a number: a 180th of its window, within these."""
_PARTS = 180
log = get_logger("alerts")


class NumberLines:
    """Asks the numbers of all alerts, each when it is due."""

    def __init__(self, store: ReadingStore) -> None:
        """Read alerts and numbers of a store."""
        self._store = store
        self._due_ns: dict[tuple[str, str, int], int] = {}

    def look(self, now_ns: int) -> Found:
        """Return what is new; raises ``RetryableError``."""
        alerts = self._store.alerts.list(Reach.ALL)
        lines = {alert.place: (alert, line) for alert in alerts if (line := _line_of(alert))}
        last = self._store.alerts.latest_numbers(Reach.ALL) if alerts else ()
        found = Found()
        found.events += _ended({one.place: one for one in alerts}, last, now_ns)
        for alert, line in lines.values():
            if not alert.definition.get("paused") and self._is_due(alert, line, now_ns):
                own = [e for e in last if _is_of(e, alert)]
                found.events += self._asked(alert, line, own, now_ns)
        return found

    def _is_due(self, alert: Alert, line: NumberLine, now_ns: int) -> bool:
        """Return whether a number is due, and when it is due again."""
        place = *alert.place, alert.version
        if now_ns < self._due_ns.get(place, 0):
            return False
        every_s = min(max(line.window_s / _PARTS, SOONEST_S), LATEST_S)
        self._due_ns[place] = now_ns + int(every_s * 10**9)
        return True

    def _asked(
        self, alert: Alert, line: NumberLine, last: Sequence[AlertEvent], now_ns: int
    ) -> Iterator[AlertEvent]:
        try:
            filters, asked = line.numbers(now_ns)
            groups = self._store.stats.numbers(Reach.only(alert.project), filters, asked)
        except (PermanentError, StoreTooSmallError) as error:
            log.warning("a number cannot be asked", alert=alert.name, error=str(error))
            return
        yield from _compared(alert, line, groups, last, now_ns)


def _compared(
    alert: Alert,
    line: NumberLine,
    groups: Sequence[Group],
    last: Sequence[AlertEvent],
    now_ns: int,
) -> Iterator[AlertEvent]:
    """Yield what is new of each group; one without rows is known by its last event alone."""
    now = {_key(group.by): group for group in groups}
    before = {_key(event.group): event for event in last}
    for key in now | before:
        group = now.get(key)
        value, count = (group.values[0], int(group.values[1] or 0)) if group else (None, 0)
        known = before.get(key)
        if line.is_beyond(value, count):
            by = group.by if group else ()
            made = _fires(alert, by, key, value, known, now_ns)
        else:
            made = _resolved(alert, known, value, now_ns)
        if made is not None:
            yield made


def _fires(
    alert: Alert,
    by: Sequence[object],
    key: str,
    value: float | None,
    known: AlertEvent | None,
    now_ns: int,
) -> AlertEvent | None:
    channels = channels_of(alert)
    if known is not None and known.is_firing:
        if not _is_told_again(alert, known, now_ns):
            return None
        return becomes(known, AlertState.FIRING, now_ns, value=value, channels=channels)
    episode = 1 if known is None else known.episode + 1
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
    alert: Alert, known: AlertEvent | None, value: float | None, now_ns: int
) -> AlertEvent | None:
    if known is None or not known.is_firing:
        return None
    told = channels_of(alert)
    return becomes(known, AlertState.RESOLVED, now_ns, value=value, channels=told)


def _is_told_again(alert: Alert, known: AlertEvent, now_ns: int) -> bool:
    after = read_definition(alert.definition).repeat_after
    if after is None:
        return False
    return now_ns // 1_000 >= known.at_us + seconds_of(after, "repeat_after") * 1_000_000


def _ended(
    alerts: Mapping[tuple[str, str], Alert], last: Sequence[AlertEvent], now_ns: int
) -> Iterator[AlertEvent]:
    """Yield that what fires of older versions and of deleted alerts is resolved."""
    for event in last:
        alert = alerts.get((event.project, event.alert))
        if alert is None or not event.is_firing or _is_of(event, alert):
            continue
        ended = "the alert was deleted" if alert.is_deleted else "the alert asks something else"
        reason, told = {"ended": ended}, channels_of(alert)
        yield becomes(event, AlertState.RESOLVED, now_ns, reason, channels=told)


def _is_of(event: AlertEvent, alert: Alert) -> bool:
    """Return whether an event is of what an alert asks now."""
    is_of = (event.project, event.alert, event.alert_version) == (*alert.place, alert.version)
    return is_of and not alert.is_deleted


def _line_of(alert: Alert) -> NumberLine | None:
    try:
        asked = None if alert.is_deleted else question_of(alert.definition)
    except InvalidQueryError as error:
        log.warning("an alert cannot be asked", alert=alert.name, error=str(error))
        return None
    return asked if isinstance(asked, NumberLine) else None


def _key(group: Sequence[object]) -> str:
    return orjson.dumps(list(group)).decode()
