"""The port of alerts, their events and deliveries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.alert import (
        Alert,
        AlertEvent,
        AlertState,
        Delivery,
        EventPlace,
        RunEvidence,
    )
    from spanloom.core.model.span import TraceKey


class EventsQuery(NamedTuple):
    """Which events of an alert to list."""

    state: AlertState | None = None
    is_current: bool = False
    """Only the last one of each id."""


class PendingDelivery(NamedTuple):
    """An event that was not delivered to a channel yet."""

    event: AlertEvent
    channel: str
    """The key of the channel."""
    tries: int
    at_us: int
    """When it was tried last, in microseconds since the epoch; 0: never."""


class AlertStore(Protocol):
    """Keeps alerts, their events and deliveries: rows are added, never changed."""

    def put(self, alert: Alert) -> None:
        """Store a revision, durable when this returns.

        Of two with one number the first one counts; the caller reads it back to see which it is.
        """

    def list(self, reach: Reach, name: str = "") -> Sequence[Alert]:
        """Return the newest revision of each alert, deleted ones too, by project and name."""

    def versions(self, project: str, name: str) -> Sequence[Alert]:
        """Return the newest revision of each version of an alert, newest first."""

    def add_events(self, events: Sequence[AlertEvent], shown: Sequence[RunEvidence]) -> None:
        """Store the evidence of events, then the events; durable when this returns.

        Of two events of one id and number the first one counts.
        """

    def latest(self, traces: Sequence[TraceKey]) -> Sequence[AlertEvent]:
        """Return the last event of each id about one of these runs, deleted ones included."""

    def latest_numbers(self, reach: Reach) -> Sequence[AlertEvent]:
        """Return the last event of each group of each version of the alerts about numbers."""

    def firing_of_deleted(self, limit: int) -> Sequence[AlertEvent]:
        """Return up to ``limit`` events that are firing for deleted runs."""

    def firing(self, reach: Reach) -> Mapping[tuple[str, str], int]:
        """Return how many ids fire for each alert, by project and name; zeros are left out."""

    def events(
        self, project: str, name: str, query: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[AlertEvent]:
        """Return up to ``limit`` events of an alert after a place, newest first."""

    def shown(self, events: Sequence[AlertEvent]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """Return the evidence of events by their id and number; nothing of deleted runs."""

    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """Store results of deliveries; for an event and channel the last try counts."""

    def deliveries(self, project: str, name: str, ids: Sequence[str]) -> Sequence[Delivery]:
        """Return the deliveries of these events of an alert that were tried."""

    def pending(self, from_us: int, limit: int) -> Sequence[PendingDelivery]:
        """Return deliveries of events since a time that are pending, oldest first.

        Up to ``limit`` for each channel of a project.
        """
