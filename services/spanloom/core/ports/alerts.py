"""The port of alerts."""

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
        RunShown,
    )
    from spanloom.core.model.span import TraceKey


class EventsQuery(NamedTuple):
    """Which events of an alert to list."""

    state: AlertState | None = None
    is_current: bool = False
    """Only the last one of each id."""


class Untold(NamedTuple):
    """An event that a channel was not told yet."""

    event: AlertEvent
    channel: str
    """Its key."""
    tries: int
    at_us: int
    """When it was tried last, in microseconds since the epoch; 0: never."""


class AlertStore(Protocol):
    """Keeps alerts, their events and deliveries: rows are added, never changed."""

    def put(self, alert: Alert) -> None:
        """Store a revision, durable when this returns.

        Of two with one number the first one counts: who stores one looks afterwards whether it is
        theirs.
        """

    def list(self, reach: Reach, name: str = "") -> Sequence[Alert]:
        """Return the newest revision of each alert, deleted ones too, by project and name."""

    def versions(self, project: str, name: str) -> Sequence[Alert]:
        """Return the newest revision of each version of an alert, newest first."""

    def add_events(self, events: Sequence[AlertEvent], shown: Sequence[RunShown]) -> None:
        """Store events, and first what their runs showed; durable when this returns.

        Of two events of one id and number the first one counts.
        """

    def latest(self, traces: Sequence[TraceKey]) -> Sequence[AlertEvent]:
        """Return the last event of each id that is about one of these runs, deleted ones too."""

    def latest_numbers(self, reach: Reach) -> Sequence[AlertEvent]:
        """Return the last event of each group of each version of the alerts about numbers."""

    def firing_of_deleted(self, limit: int) -> Sequence[AlertEvent]:
        """Return up to ``limit`` last events that fire for runs that are deleted."""

    def firing(self, reach: Reach) -> Mapping[tuple[str, str], int]:
        """Return how many ids fire of each alert, by project and name; none are left out."""

    def events(
        self, project: str, name: str, asked: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[AlertEvent]:
        """Return up to ``limit`` events of an alert after a place, newest first."""

    def shown(self, events: Sequence[AlertEvent]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """Return what runs showed, by id and number of the event; nothing of deleted runs."""

    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """Store what became of deliveries; of one event and channel the most tries count."""

    def deliveries(self, project: str, name: str, ids: Sequence[str]) -> Sequence[Delivery]:
        """Return what became of telling these events of an alert, tried ones only."""

    def untold(self, from_us: int, limit: int) -> Sequence[Untold]:
        """Return what is to be told of events since a time, oldest first.

        Up to ``limit`` of each channel of a project.
        """
