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
from spanloom.storage.engine.columns import Attribute, Columns, as_json, to_json
from spanloom.storage.engine.parameters import batched, within
from spanloom.storage.engine.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.alert import EventPlace, RunEvidence
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.alerts import EventsQuery
    from spanloom.storage.engine.connection import Connection

_LAST = 2**63
_ALERTS = Columns(
    Alert,
    {
        "Project": "project",
        "Name": "name",
        "Revision": "revision",
        "Change": "change",
        "Version": "version",
        "Definition": as_json("definition"),
        "AtUnixMicro": "at_us",
        "PutBy": "put_by",
        "IsDeleted": Attribute("is_deleted", read=bool),
    },
)
_EVENTS = Columns(
    AlertEvent,
    {
        "Project": "project",
        "TraceId": "trace_id",
        "Alert": "alert",
        "AlertVersion": "alert_version",
        "Id": "id",
        "Number": "number",
        "State": Attribute("state", read=AlertState),
        "AtUnixMicro": "at_us",
        "RunVersion": "version",
        "GroupKey": Attribute("group", to_json, lambda text: orjson.loads(text) if text else ()),
        "Episode": "episode",
        "Value": "value",
        "Reason": Attribute(
            "reason",
            lambda reason: to_json(reason) if reason else "",
            lambda text: orjson.loads(text) if text else {},
        ),
        "Channels": "channels",
    },
)
_DELIVERIES = Columns(
    Delivery,
    {
        "Project": "project",
        "Alert": "alert",
        "Id": "id",
        "Number": "number",
        "Channel": "channel",
        "Tries": "tries",
        "State": Attribute("state", read=DeliveryState),
        "AtUnixMicro": "at_us",
        "Error": "error",
    },
)


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
        with self._alerts.writes:
            self._worker.insert_objects("alerts", [_ALERTS.row(alert)])

    def list(self, reach: Reach, name: str = "") -> Sequence[Alert]:
        """See ``AlertStore.list``."""

        def read() -> Sequence[Alert]:
            rows = self._reader.rows(
                "read_alerts", columns=_ALERTS.columns, reach=within(reach), of_name=name
            )
            return tuple(map(_ALERTS.object, rows))

        return list(self._alerts.get((reach, name), read))

    def versions(self, project: str, name: str) -> Sequence[Alert]:
        """See ``AlertStore.versions``."""
        rows = self._reader.rows(
            "alert_versions", columns=_ALERTS.columns, project=project, of_name=name
        )
        return list(map(_ALERTS.object, rows))

    def add_events(self, events: Sequence[AlertEvent], shown: Sequence[RunEvidence]) -> None:
        """See ``AlertStore.add_events``."""
        evidence = (
            {
                "Project": one.key.project,
                "TraceId": one.key.trace_id,
                "Id": one.id,
                "Number": one.number,
                "Content": to_json(one.content),
            }
            for one in shown
        )
        self._worker.insert_objects("alert_evidence", evidence)
        self._worker.insert_objects("alert_events", map(_event_row, events))

    def latest(self, traces: Sequence[TraceKey]) -> Sequence[AlertEvent]:
        """See ``AlertStore.latest``."""
        return [
            _EVENTS.object(row)
            for some in batched(traces)
            for row in self._worker.rows(
                "latest_alert_events", columns=_EVENTS.columns, traces=some
            )
        ]

    def latest_numbers(self, reach: Reach) -> Sequence[AlertEvent]:
        """See ``AlertStore.latest_numbers``."""
        rows = self._worker.rows(
            "latest_alert_numbers", columns=_EVENTS.columns, reach=within(reach)
        )
        return list(map(_EVENTS.object, rows))

    def firing_of_deleted(self, limit: int) -> Sequence[AlertEvent]:
        """See ``AlertStore.firing_of_deleted``."""
        if not self._worker.hiding.may_hide:
            return []
        rows = self._worker.rows("firing_of_deleted", columns=_EVENTS.columns, limit=limit)
        return list(map(_EVENTS.object, rows))

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
            columns=_EVENTS.columns,
            project=project,
            of_name=name,
            state=asked.state or "",
            is_current=asked.is_current,
            before_us=at_us,
            before_id=before_id,
            before_number=number,
            limit=limit,
        )
        return list(map(_EVENTS.object, rows))

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
        self._worker.insert_objects("alert_deliveries", map(_DELIVERIES.row, deliveries))

    def deliveries(self, project: str, name: str, ids: Sequence[str]) -> Sequence[Delivery]:
        """See ``AlertStore.deliveries``."""
        return [
            _DELIVERIES.object(row)
            for some in batched(ids)
            for row in self._reader.rows(
                "alert_deliveries",
                columns=_DELIVERIES.columns,
                project=project,
                of_name=name,
                ids=some,
            )
        ]

    def pending(self, from_us: int, limit: int) -> Sequence[PendingDelivery]:
        """See ``AlertStore.pending``."""
        rows = self._worker.rows(
            "untold_alert_events", columns=_EVENTS.columns, from_us=from_us, limit=limit
        )
        return [
            PendingDelivery(_EVENTS.object(row), row.Key, row.Tries, row.TriedUnixMicro)
            for row in rows
        ]


def _event_row(event: AlertEvent) -> Mapping[str, object]:
    row = _EVENTS.row(event)
    return {**row, "GroupKey": ""} if event.trace_id else row
