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
    """Only the last event of each id."""


class PendingDelivery(NamedTuple):
    """An event that has not been delivered to a channel yet."""

    event: AlertEvent
    channel: str
    """The key of the channel."""
    tries: int
    at_us: int
    """Time of the last attempt, in microseconds since the epoch; 0 if there was none."""


class AlertStore(Protocol):
    """Stores alerts, their events and deliveries: rows are added, never changed."""

    def put(self, alert: Alert) -> None:
        """Store a revision; it is durable on return.

        Of two revisions with the same number the first counts; the caller reads it back to see
        which one that is.
        """

    def list(self, reach: Reach, name: str = "") -> Sequence[Alert]:
        """Return the newest revision of each alert, including deleted ones, by project and name."""

    def versions(self, project: str, name: str) -> Sequence[Alert]:
        """Return the newest revision of each version of an alert, newest first."""

    def add_events(self, events: Sequence[AlertEvent], shown: Sequence[RunEvidence]) -> None:
        """Store the evidence of events, then the events; they are durable on return.

        Of two events with the same id and number the first counts.
        """

    def latest(self, traces: Sequence[TraceKey]) -> Sequence[AlertEvent]:
        """Return the last event of each id about one of these runs, including deleted runs."""

    def latest_numbers(self, reach: Reach) -> Sequence[AlertEvent]:
        """Return the last event of each group for each version of the alerts about numbers."""

    def firing_of_deleted(self, limit: int) -> Sequence[AlertEvent]:
        """Return up to ``limit`` firing events of deleted runs."""

    def firing(self, reach: Reach) -> Mapping[tuple[str, str], int]:
        """Return the number of firing ids per alert, by project and name; zeros are left out."""

    def events(
        self, project: str, name: str, query: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[AlertEvent]:
        """Return up to ``limit`` events of an alert after a position, newest first."""

    def shown(self, events: Sequence[AlertEvent]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """Return the evidence of events by their id and number, except for deleted runs."""

    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """Store results of deliveries; the last attempt per event and channel counts."""

    def deliveries(self, project: str, name: str, ids: Sequence[str]) -> Sequence[Delivery]:
        """Return the attempted deliveries of these events of an alert."""

    def pending(self, from_us: int, limit: int) -> Sequence[PendingDelivery]:
        """Return deliveries of events since a time that are pending, oldest first.

        Returns up to ``limit`` deliveries for each channel of a project.
        """
