"""How an event is made: the first of its id, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spanloom.core.model.alert import AlertEvent, AlertState, channel_key, event_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.alert import Alert, RunShown
    from spanloom.core.model.span import TraceKey


@dataclass(slots=True)
class Found:
    """Events that are new, and what the runs showed."""

    events: list[AlertEvent] = field(default_factory=list)
    shown: list[RunShown] = field(default_factory=list)


def channels_of(alert: Alert | None) -> Sequence[str]:
    """Return the keys of the channels of an alert."""
    told = () if alert is None else alert.definition.get("channels", ())
    return [channel_key(one["kind"], one["url"]) for one in told]


def fired_for(alert: Alert, key: TraceKey, version: int, now_ns: int) -> AlertEvent:
    """Return the first event of an alert about a run; no channel is told yet."""
    alert_version, trace_id = alert.version, key.trace_id
    return AlertEvent(
        *(*alert.place, alert_version),
        event_id(*alert.place, alert_version, trace_id),
        1,
        AlertState.FIRING,
        now_ns // 1_000,
        trace_id,
        version,
    )


def becomes(
    last: AlertEvent,
    state: AlertState,
    now_ns: int,
    reason: Mapping[str, Any] | None = None,
    **changed: Any,
) -> AlertEvent:
    """Return what becomes of an event, later than the last one."""
    return replace(
        last,
        number=last.number + 1,
        state=state,
        at_us=max(now_ns // 1_000, last.at_us + 1),
        reason=reason or {},
        **changed,
    )
