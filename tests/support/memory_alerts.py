"""In-memory alerts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.support.memory_state import MemorySubject

from spanloom.core.model.alert import DeliveryState, EventPlace
from spanloom.core.ports.alerts import PendingDelivery

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.alert import Alert, AlertEvent, Delivery, RunEvidence
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.alerts import EventsQuery


class MemoryAlerts(MemorySubject):
    """Alerts, events, evidence, deliveries; of equal revision numbers the first stored counts."""

    def put(self, alert: Alert) -> None:
        """See ``AlertStore.put``."""
        with self._state.lock:
            self._state.alerts.setdefault((*alert.place, alert.revision), alert)

    def list(self, reach: Reach, name: str = "") -> Sequence[Alert]:
        """See ``AlertStore.list``."""
        kept = sorted(self._state.alerts.items())
        newest = {
            alert.place: alert
            for _, alert in kept
            if reach.covers(alert.project) and name in ("", alert.name)
        }
        return list(newest.values())

    def versions(self, project: str, name: str) -> Sequence[Alert]:
        """See ``AlertStore.versions``."""
        kept = sorted(self._state.alerts.items())
        newest = {one.version: one for _, one in kept if one.place == (project, name)}
        return [newest[version] for version in sorted(newest, reverse=True)]

    def add_events(self, events: Sequence[AlertEvent], shown: Sequence[RunEvidence]) -> None:
        """See ``AlertStore.add_events``."""
        with self._state.lock:
            for one in shown:
                self._state.alert_shown.setdefault((one.key.project, one.id, one.number), one)
            for event in events:
                self._state.alert_events.setdefault((event.project, event.id, event.number), event)

    def latest(self, traces: Sequence[TraceKey]) -> Sequence[AlertEvent]:
        """See ``AlertStore.latest``."""
        wanted = set(traces)
        return [event for event in self._last() if event.key in wanted]

    def latest_numbers(self, reach: Reach) -> Sequence[AlertEvent]:
        """See ``AlertStore.latest_numbers``."""
        own = [e for e in self._last() if not e.trace_id and reach.covers(e.project)]
        return _newest(
            own,
            lambda e: (e.project, e.alert, e.alert_version, repr(e.group)),
            lambda e: (e.episode, e.number),
        )

    def firing_of_deleted(self, limit: int) -> Sequence[AlertEvent]:
        """See ``AlertStore.firing_of_deleted``."""
        gone = self._state.deleted
        return [event for event in self._last() if event.is_firing and event.key in gone][:limit]

    def firing(self, reach: Reach) -> Mapping[tuple[str, str], int]:
        """See ``AlertStore.firing``."""
        counts: dict[tuple[str, str], int] = {}
        for event in self._last():
            if event.is_firing and reach.covers(event.project):
                place = event.project, event.alert
                counts[place] = counts.get(place, 0) + 1
        return counts

    def events(
        self, project: str, name: str, asked: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[AlertEvent]:
        """See ``AlertStore.events``."""
        kept = self._last() if asked.is_current else list(self._state.alert_events.values())
        found = sorted(
            (
                event
                for event in kept
                if (event.project, event.alert) == (project, name)
                and asked.state in (None, event.state)
                and (after is None or _place(event) < after)
            ),
            key=_place,
            reverse=True,
        )
        return found[:limit]

    def shown(self, events: Sequence[AlertEvent]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """See ``AlertStore.shown``."""
        gone, kept = self._state.deleted, self._state.alert_shown
        ids = {(event.project, event.id) for event in events if event.key not in gone}
        return {
            (of_id, number): one.content
            for (project, of_id, number), one in kept.items()
            if (project, of_id) in ids
        }

    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """See ``AlertStore.add_deliveries``."""
        with self._state.lock:
            for one in deliveries:
                place = one.project, one.id, one.number, one.channel
                there = self._state.alert_deliveries.get(place, one)
                if one.tries >= there.tries:
                    self._state.alert_deliveries[place] = one

    def deliveries(self, project: str, name: str, ids: Sequence[str]) -> Sequence[Delivery]:
        """See ``AlertStore.deliveries``."""
        kept = sorted(self._state.alert_deliveries.items())
        return [
            one for _, one in kept if (one.project, one.alert) == (project, name) and one.id in ids
        ]

    def pending(self, from_us: int, limit: int) -> Sequence[PendingDelivery]:
        """See ``AlertStore.pending``."""
        with self._state.lock:
            events = sorted(self._state.alert_events.values(), key=_place)
            found = [self._untold(e, c) for e in events if e.at_us >= from_us for c in e.channels]
        counts = Counter[tuple[str, str]]()
        pending: list[PendingDelivery] = []
        for one in found:
            if one is not None and counts[one.event.project, one.channel] < limit:
                counts[one.event.project, one.channel] += 1
                pending.append(one)
        return pending

    def _untold(self, event: AlertEvent, channel: str) -> PendingDelivery | None:
        tried = self._state.alert_deliveries.get((event.project, event.id, event.number, channel))
        if tried is None:
            return PendingDelivery(event, channel, 0, 0)
        is_over = tried.state is not DeliveryState.PENDING
        return None if is_over else PendingDelivery(event, channel, tried.tries, tried.at_us)

    def _last(self) -> Sequence[AlertEvent]:
        with self._state.lock:
            events = list(self._state.alert_events.values())
        return _newest(events, lambda e: (e.project, e.id), lambda e: e.number)


def _newest(
    events: Iterable[AlertEvent],
    of: Callable[[AlertEvent], Hashable],
    order: Callable[[AlertEvent], Any],
) -> Sequence[AlertEvent]:
    return list({of(event): event for event in sorted(events, key=order)}.values())


def _place(event: AlertEvent) -> EventPlace:
    return EventPlace(event.at_us, event.id, event.number)
