"""Stores alerts in ClickHouse: their revisions, their events with evidence, and deliveries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.model.alert import (
    Alert,
    AlertEvent,
    AlertState,
    Delivery,
    DeliveryState,
)
from spanloom.core.ports.alerts import PendingDelivery
from spanloom.storage.engine.parameters import batched, within
from spanloom.storage.engine.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.alert import EventPlace, RunEvidence
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.alerts import EventsQuery
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row

_LAST = 2**63


class ClickHouseAlerts:
    """``AlertStore`` in ClickHouse.

    Writes and most background reads use the extractor's connection; other reads use the readers'
    connection. The alerts, which the service reads each second, are cached.
    """

    def __init__(self, worker: Connection, reader: Connection, *, is_alone: bool) -> None:
        """Use the connections, which the caller closes; see ``Remembered`` for ``is_alone``."""
        self._worker = worker
        self._reader = reader
        self._alerts: Remembered[Sequence[Alert]] = Remembered(is_alone=is_alone)

    def put(self, alert: Alert) -> None:
        """See ``AlertStore.put``."""
        row = {
            "Project": alert.project,
            "Name": alert.name,
            "Revision": alert.revision,
            "Change": alert.change,
            "Version": alert.version,
            "Definition": _json(alert.definition),
            "AtUnixMicro": alert.at_us,
            "PutBy": alert.put_by,
            "IsDeleted": alert.is_deleted,
        }
        with self._alerts.writes:
            self._worker.insert_objects("alerts", [row])

    def list(self, reach: Reach, name: str = "") -> Sequence[Alert]:
        """See ``AlertStore.list``."""

        def read() -> Sequence[Alert]:
            rows = self._reader.rows("read_alerts", reach=within(reach), of_name=name)
            return tuple(map(_alert, rows))

        return list(self._alerts.get((reach, name), read))

    def versions(self, project: str, name: str) -> Sequence[Alert]:
        """See ``AlertStore.versions``."""
        rows = self._reader.rows("alert_versions", project=project, of_name=name)
        return list(map(_alert, rows))

    def add_events(self, events: Sequence[AlertEvent], shown: Sequence[RunEvidence]) -> None:
        """See ``AlertStore.add_events``."""
        evidence = (
            {
                "Project": one.key.project,
                "TraceId": one.key.trace_id,
                "Id": one.id,
                "Number": one.number,
                "Content": _json(one.content),
            }
            for one in shown
        )
        self._worker.insert_objects("alert_evidence", evidence)
        self._worker.insert_objects("alert_events", map(_event_row, events))

    def latest(self, traces: Sequence[TraceKey]) -> Sequence[AlertEvent]:
        """See ``AlertStore.latest``."""
        return [
            _event(row)
            for some in batched(traces)
            for row in self._worker.rows("latest_alert_events", traces=some)
        ]

    def latest_numbers(self, reach: Reach) -> Sequence[AlertEvent]:
        """See ``AlertStore.latest_numbers``."""
        rows = self._worker.rows("latest_alert_numbers", reach=within(reach))
        return list(map(_event, rows))

    def firing_of_deleted(self, limit: int) -> Sequence[AlertEvent]:
        """See ``AlertStore.firing_of_deleted``."""
        if not self._worker.hiding.may_hide:
            return []
        return list(map(_event, self._worker.rows("firing_of_deleted", limit=limit)))

    def firing(self, reach: Reach) -> Mapping[tuple[str, str], int]:
        """See ``AlertStore.firing``."""
        rows = self._reader.rows("alerts_firing", reach=within(reach))
        return {(row.Project, row.Alert): row.Firing for row in rows}

    def events(
        self, project: str, name: str, asked: EventsQuery, limit: int, after: EventPlace | None
    ) -> Sequence[AlertEvent]:
        """See ``AlertStore.events``."""
        at_us, before_id, number = after or (_LAST, "", 0)
        rows = self._reader.rows(
            "list_alert_events",
            project=project,
            of_name=name,
            state=asked.state or "",
            is_current=asked.is_current,
            before_us=at_us,
            before_id=before_id,
            before_number=number,
            limit=limit,
        )
        return list(map(_event, rows))

    def shown(self, events: Sequence[AlertEvent]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """See ``AlertStore.shown``."""
        of_runs = [event for event in events if event.trace_id]
        return {
            (row.Id, row.Number): orjson.loads(row.Content)
            for some in batched([(event.key, event.id) for event in of_runs])
            for row in self._reader.rows(
                "alert_evidence", keys=[key for key, _ in some], ids=[one for _, one in some]
            )
        }

    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """See ``AlertStore.add_deliveries``."""
        self._worker.insert_objects("alert_deliveries", map(_delivery_row, deliveries))

    def deliveries(self, project: str, name: str, ids: Sequence[str]) -> Sequence[Delivery]:
        """See ``AlertStore.deliveries``."""
        return [
            Delivery(*row)._replace(state=DeliveryState(row.State))
            for some in batched(ids)
            for row in self._reader.rows(
                "alert_deliveries", project=project, of_name=name, ids=some
            )
        ]

    def pending(self, from_us: int, limit: int) -> Sequence[PendingDelivery]:
        """See ``AlertStore.pending``."""
        rows = self._worker.rows("untold_alert_events", from_us=from_us, limit=limit)
        return [
            PendingDelivery(_event(row), row.Key, row.Tries, row.TriedUnixMicro) for row in rows
        ]


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


def _alert(row: Row) -> Alert:
    return Alert(
        row.Project,
        row.Name,
        row.Revision,
        row.Version,
        orjson.loads(row.Definition),
        row.AtUnixMicro,
        row.PutBy,
        bool(row.IsDeleted),
        row.Change,
    )


def _event_row(event: AlertEvent) -> Mapping[str, object]:
    return {
        "Project": event.project,
        "TraceId": event.trace_id,
        "Alert": event.alert,
        "AlertVersion": event.alert_version,
        "Id": event.id,
        "Number": event.number,
        "State": event.state,
        "AtUnixMicro": event.at_us,
        "RunVersion": event.version,
        "GroupKey": "" if event.trace_id else _json(list(event.group)),
        "Episode": event.episode,
        "Value": event.value,
        "Reason": _json(event.reason) if event.reason else "",
        "Channels": list(event.channels),
    }


def _event(row: Row) -> AlertEvent:
    return AlertEvent(
        row.Project,
        row.Alert,
        row.AlertVersion,
        row.Id,
        row.Number,
        AlertState(row.State),
        row.AtUnixMicro,
        row.TraceId,
        row.RunVersion,
        orjson.loads(row.GroupKey) if row.GroupKey else (),
        row.Episode,
        row.Value,
        orjson.loads(row.Reason) if row.Reason else {},
        row.Channels,
    )


def _delivery_row(one: Delivery) -> Mapping[str, object]:
    return {
        "Project": one.project,
        "Alert": one.alert,
        "Id": one.id,
        "Number": one.number,
        "Channel": one.channel,
        "Tries": one.tries,
        "State": one.state,
        "AtUnixMicro": one.at_us,
        "Error": one.error,
    }
