"""Stores, changes and lists alerts."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.alerts.condition import parse_alert_condition
from spanloom.alerts.definition import queried_members, read_definition, with_addresses
from spanloom.core.errors import ConflictError, NotFoundError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import MOST_ALERTS, Alert
from spanloom.following.follower import begin_at_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from spanloom.alerts.definition import AlertDefinition
    from spanloom.core.model.alert import AlertEvent, Delivery, EventPlace
    from spanloom.core.ports.alerts import EventsQuery
    from spanloom.core.ports.reading import ReadingStore

FOLLOWER = "alerts"
"""Name of the change-feed follower, and the key by which one process is chosen to do the work."""
_MOST_TRIES = 20
"""Maximum attempts to store a change, if other processes store the next revision first."""


class UnknownAlertError(NotFoundError):
    """The project has no such alert (404)."""


class AlertRefusedError(ConflictError):
    """The change conflicts with the current state (409)."""


class ListedAlert(NamedTuple):
    """An alert, and the number of its firing events."""

    alert: Alert
    firing: int


class ListedEvent(NamedTuple):
    """An event with the details of its run, and the event's deliveries."""

    event: AlertEvent
    shown: Mapping[str, Any]
    deliveries: Sequence[Delivery]
    definition: AlertDefinition
    """The definition of the version that fired."""


class Alerts:
    """The alerts of projects; thread-safe."""

    def __init__(
        self,
        store: ReadingStore,
        *,
        allows_private: bool = False,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Use a store; ``clock_ns`` returns ns since the epoch.

        ``allows_private`` allows channels at private addresses.
        """
        self._store = store.alerts
        self._feed = store.feed
        self._places = store.followers
        self._allows_private = allows_private
        self._clock_ns = clock_ns
        self._lock = Lock()

    def listed(self, project: str) -> Sequence[ListedAlert]:
        """Return the alerts of a project, sorted by name."""
        reach = Reach.only(project)
        firing = self._store.firing(reach)
        current = (one for one in self._store.list(reach) if not one.is_deleted)
        return [ListedAlert(one, firing.get(one.place, 0)) for one in current]

    def get(self, project: str, name: str) -> ListedAlert:
        """Return an alert; raises ``UnknownAlertError``."""
        alert = self._found(project, name)
        return ListedAlert(alert, self._store.firing(Reach.only(project)).get(alert.place, 0))

    def put(self, project: str, name: str, definition: AlertDefinition, put_by: str) -> ListedAlert:
        """Create or replace an alert; an equal definition changes nothing.

        A changed condition is a new version. Raises ``InvalidQueryError`` that names the faulty
        member, and ``AlertRefusedError`` if the project already has ``MOST_ALERTS``.
        """
        parse_alert_condition(definition)
        with self._lock:
            current = self._current(project, name)
            known = () if current is None else read_definition(current.definition).channels
            whole = with_addresses(definition, known, allows_private=self._allows_private)
            stored = whole.stored()
            if current is None or current.is_deleted:
                self._refuse_more(project)
            elif current.definition == stored:
                return self.get(project, name)
            if all(one.is_deleted for one in self._store.list(Reach.ALL)):
                begin_at_end(self._feed, self._places, FOLLOWER)  # there was no follower so far
            self._change(current or Alert(project, name, 0, 0), stored, put_by)
        return self.get(project, name)

    def delete(self, project: str, name: str, deleted_by: str) -> ListedAlert:
        """Delete an alert, and return it; raises ``UnknownAlertError``.

        Its firing events are resolved.
        """
        with self._lock:
            listed = self.get(project, name)
            self._change(listed.alert, None, deleted_by)
        return listed

    def events(
        self, project: str, name: str, query: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[ListedEvent]:
        """Return events of an alert, newest first; raises ``UnknownAlertError``."""
        self._found(project, name)
        events = self._store.events(project, name, query, limit, after)
        shown = self._store.shown(events)
        deliveries: dict[tuple[str, int], list[Delivery]] = {}
        for one in self._store.deliveries(project, name, [event.id for event in events]):
            deliveries.setdefault((one.id, one.number), []).append(one)
        versions = {
            one.version: read_definition(one.definition)
            for one in self._store.versions(project, name)
        }
        return [
            ListedEvent(
                e, shown.get(place, {}), deliveries.get(place, ()), versions[e.alert_version]
            )
            for e in events
            for place in [(e.id, e.number)]
            if e.alert_version in versions
        ]

    def _change(self, current: Alert, stored: Mapping[str, Any] | None, by: str) -> None:
        """Store the next revision: a definition, or ``None`` to delete the alert."""
        for _ in range(_MOST_TRIES):
            changed = self._next(current, stored, by)
            self._store.put(changed)
            stored_alert = self._current(current.project, current.name)
            if stored_alert is None or stored_alert.change == changed.change:
                return
            current = stored_alert
        raise AlertRefusedError(f"Others change {current.name!r} at this moment: try again.")

    def _next(self, current: Alert, stored: Mapping[str, Any] | None, by: str) -> Alert:
        is_new_version = stored is not None and (
            current.revision == 0
            or current.is_deleted
            or queried_members(stored) != queried_members(current.definition)
        )
        return replace(
            current,
            revision=current.revision + 1,
            version=current.version + is_new_version,
            definition=current.definition if stored is None else stored,
            at_us=max(self._clock_ns() // 1_000, current.at_us + 1),
            put_by=by,
            is_deleted=stored is None,
            change=secrets.token_hex(8),
        )

    def _refuse_more(self, project: str) -> None:
        current = [one for one in self._store.list(Reach.only(project)) if not one.is_deleted]
        if len(current) >= MOST_ALERTS:
            raise AlertRefusedError(f"The project has {MOST_ALERTS:,} alerts already.")

    def _found(self, project: str, name: str) -> Alert:
        alert = self._current(project, name)
        if alert is None or alert.is_deleted:
            raise UnknownAlertError(f"There is no alert {name!r} in this project.")
        return alert

    def _current(self, project: str, name: str) -> Alert | None:
        return next(iter(self._store.list(Reach.only(project), name)), None)
