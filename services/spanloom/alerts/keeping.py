"""Changes of alerts, and what is listed of them."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.alerts.definition import asks, read_definition, with_addresses
from spanloom.alerts.question import parse_question
from spanloom.core.errors import PermanentError
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
"""The follower of the change feed, and the work of one process at a time."""
_MOST_TRIES = 20
"""Revisions that a change tries, each taken by another process meanwhile."""


class UnknownAlertError(PermanentError):
    """The project has no such alert (404)."""


class AlertRefusedError(PermanentError):
    """An alert cannot be changed so as it is now (409)."""


class KeptAlert(NamedTuple):
    """An alert, and how much of it fires."""

    alert: Alert
    firing: int


class ListedEvent(NamedTuple):
    """An event with what its run showed, and what became of its deliveries."""

    event: AlertEvent
    shown: Mapping[str, Any]
    deliveries: Sequence[Delivery]
    definition: AlertDefinition
    """Of the version that fired."""


class Alerts:
    """Keeps the alerts of projects; thread-safe."""

    def __init__(
        self,
        store: ReadingStore,
        *,
        allows_private: bool = False,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Keep them in a store; ``clock_ns`` is in ns since the epoch.

        ``allows_private``: channels may be at private addresses.
        """
        self._store = store.alerts
        self._feed = store.feed
        self._places = store.followers
        self._allows_private = allows_private
        self._clock_ns = clock_ns
        self._lock = Lock()

    def listed(self, project: str) -> Sequence[KeptAlert]:
        """Return the alerts of a project by name."""
        reach = Reach.only(project)
        firing = self._store.firing(reach)
        there = (one for one in self._store.list(reach) if not one.is_deleted)
        return [KeptAlert(one, firing.get(one.place, 0)) for one in there]

    def get(self, project: str, name: str) -> KeptAlert:
        """Return an alert; raises ``UnknownAlertError``."""
        alert = self._found(project, name)
        return KeptAlert(alert, self._store.firing(Reach.only(project)).get(alert.place, 0))

    def put(self, project: str, name: str, wanted: AlertDefinition, put_by: str) -> KeptAlert:
        """Make or replace an alert; the same again changes nothing.

        Another question is another version. Raises ``InvalidQueryError`` with the place of what
        cannot be meant, and ``AlertRefusedError`` if there are ``MOST_ALERTS``.
        """
        parse_question(wanted)
        with self._lock:
            there = self._current(project, name)
            known = () if there is None else read_definition(there.definition).channels
            whole = with_addresses(wanted, known, allows_private=self._allows_private)
            stored = whole.stored()
            if there is None or there.is_deleted:
                self._refuse_more(project)
            elif there.definition == stored:
                return self.get(project, name)
            if all(one.is_deleted for one in self._store.list(Reach.ALL)):
                begin_at_end(self._feed, self._places, FOLLOWER)  # nobody has followed so far
            self._change(there or Alert(project, name, 0, 0), stored, put_by)
        return self.get(project, name)

    def delete(self, project: str, name: str, deleted_by: str) -> KeptAlert:
        """Delete an alert, and return it as it was; raises ``UnknownAlertError``.

        Nothing of it fires any more.
        """
        with self._lock:
            kept = self.get(project, name)
            self._change(kept.alert, None, deleted_by)
        return kept

    def events(
        self, project: str, name: str, asked: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[ListedEvent]:
        """Return events of an alert, newest first; raises ``UnknownAlertError``."""
        self._found(project, name)
        events = self._store.events(project, name, asked, limit, after)
        shown = self._store.shown(events)
        told: dict[tuple[str, int], list[Delivery]] = {}
        for one in self._store.deliveries(project, name, [event.id for event in events]):
            told.setdefault((one.id, one.number), []).append(one)
        versions = {
            one.version: read_definition(one.definition)
            for one in self._store.versions(project, name)
        }
        return [
            ListedEvent(e, shown.get(place, {}), told.get(place, ()), versions[e.alert_version])
            for e in events
            for place in [(e.id, e.number)]
            if e.alert_version in versions
        ]

    def _change(self, there: Alert, stored: Mapping[str, Any] | None, by: str) -> None:
        """Store the next revision: a definition, or the end of the alert."""
        for _ in range(_MOST_TRIES):
            made = self._next(there, stored, by)
            self._store.put(made)
            current = self._current(there.project, there.name)
            if current is None or current.change == made.change:
                return
            there = current
        raise AlertRefusedError(f"Others change {there.name!r} at this moment: try again.")

    def _next(self, there: Alert, stored: Mapping[str, Any] | None, by: str) -> Alert:
        asked_again = stored is not None and (
            there.revision == 0 or there.is_deleted or asks(stored) != asks(there.definition)
        )
        return replace(
            there,
            revision=there.revision + 1,
            version=there.version + asked_again,
            definition=there.definition if stored is None else stored,
            at_us=max(self._clock_ns() // 1_000, there.at_us + 1),
            put_by=by,
            is_deleted=stored is None,
            change=secrets.token_hex(8),
        )

    def _refuse_more(self, project: str) -> None:
        there = [one for one in self._store.list(Reach.only(project)) if not one.is_deleted]
        if len(there) >= MOST_ALERTS:
            raise AlertRefusedError(f"The project has {MOST_ALERTS:,} alerts already.")

    def _found(self, project: str, name: str) -> Alert:
        alert = self._current(project, name)
        if alert is None or alert.is_deleted:
            raise UnknownAlertError(f"There is no alert {name!r} in this project.")
        return alert

    def _current(self, project: str, name: str) -> Alert | None:
        return next(iter(self._store.list(Reach.only(project), name)), None)
