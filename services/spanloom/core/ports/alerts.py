"""The port for storing alerts, their events and deliveries."""

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
    """A query for events of an alert."""

    state: AlertState | None = None
    is_current: bool = False
    """Whether to return only the last event with each id, that is, for each run or group."""


class PendingDelivery(NamedTuple):
    """The delivery of an event to a channel that has not succeeded yet."""

    event: AlertEvent
    channel: str
    """The key of the channel."""
    tries: int
    at_us: int
    """Time of the last attempt, in microseconds since the epoch; 0 if there was none."""


class AlertStore(Protocol):
    """Stores alerts, their events and deliveries; rows are added, never changed."""

    def put(self, alert: Alert) -> None:
        """Store a revision; it is durable on return.

        Of two revisions with the same number the first counts; the caller must read the revision to
        learn which of them was stored.
        """

    def list(self, reach: Reach, name: str = "") -> Sequence[Alert]:
        """Return the newest revision of all alerts, even deleted, ordered by project and name."""

    def versions(self, project: str, name: str) -> Sequence[Alert]:
        """Return the newest revision of each version of an alert, newest first."""

    def add_events(self, events: Sequence[AlertEvent], shown: Sequence[RunEvidence]) -> None:
        """Store the evidence for events (``shown``), then the events; durable on return.

        Of two events with the same id and number the first counts.
        """

    def latest(self, traces: Sequence[TraceKey]) -> Sequence[AlertEvent]:
        """Return each alert version's last event on each of these runs, even on deleted runs."""

    def latest_numbers(self, reach: Reach) -> Sequence[AlertEvent]:
        """Return the last event of each group, for each version of alerts on metrics."""

    def firing_of_deleted(self, limit: int) -> Sequence[AlertEvent]:
        """Return up to ``limit`` events of deleted runs that are still firing."""

    def firing(self, reach: Reach) -> Mapping[tuple[str, str], int]:
        """Return the number of firing runs or groups per (project, alert); zeros are left out."""

    def events(
        self, project: str, name: str, query: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[AlertEvent]:
        """Return up to ``limit`` events of an alert after a position, newest first."""

    def shown(self, events: Sequence[AlertEvent]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """Return the evidence for these events, keyed by id and number; deleted runs have none."""

    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """Store results of delivery attempts; the last for each event and channel counts."""

    def deliveries(self, project: str, name: str, ids: Sequence[str]) -> Sequence[Delivery]:
        """Return the delivery attempts for the events with these ids."""

    def pending(self, from_us: int, limit: int) -> Sequence[PendingDelivery]:
        """Return pending deliveries of events since ``from_us``, oldest first.

        Returns up to ``limit`` deliveries for each channel of a project.
        """
