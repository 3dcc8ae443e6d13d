"""Creates events of alerts: the event that fires, and later events with the same id."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spanloom.core.model.alert import AlertEvent, AlertState, channel_key, event_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.alert import Alert, RunEvidence
    from spanloom.core.model.span import TraceKey


@dataclass(slots=True)
class NewEvents:
    """New events, and the details of their runs that are shown with them."""

    events: list[AlertEvent] = field(default_factory=list)
    shown: list[RunEvidence] = field(default_factory=list)


def channels_of(alert: Alert | None) -> Sequence[str]:
    """Return the keys of the channels of an alert."""
    channels = () if alert is None else alert.definition.get("channels", ())
    return [channel_key(one["kind"], one["url"]) for one in channels]


def first_event(alert: Alert, key: TraceKey, version: int, now_ns: int) -> AlertEvent:
    """Return the event with which an alert first fires for a run, with no channels set."""
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


def next_event(
    last: AlertEvent,
    state: AlertState,
    now_ns: int,
    reason: Mapping[str, Any] | None = None,
    **changed: Any,
) -> AlertEvent:
    """Return the event that follows ``last``, with a new state and a later time."""
    return replace(
        last,
        number=last.number + 1,
        state=state,
        at_us=max(now_ns // 1_000, last.at_us + 1),
        reason=reason or {},
        **changed,
    )
