"""Spans stored by 0.1.0 rank correctly after the migration that puts finished before open ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import message_of, spooled, wire_span

from spanloom.storage.engine import migrate as migrating
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.engine.settings import REQUEST_SETTINGS
from spanloom.storage.engine.statements import migrations, request_schema
from spanloom.storage.spans.records import FramedRecords

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

SHIPPED = migrations()


class Sender:
    """Sends spans to a store of an earlier release, and upgrades the store."""

    def __init__(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self._client, self._monkeypatch = client, monkeypatch
        self.connection = Connection(client, {**REQUEST_SETTINGS, **request_schema(embedded=True)})

    def upgrade(self, number: int) -> None:
        known = tuple(m for m in SHIPPED if m.number <= number)
        self._monkeypatch.setattr(migrating, "migrations", lambda: known)
        migrate(self.connection)

    def send(self, *names: str) -> None:
        """Send spans, each in a request of its own; "1 open" is an open copy of the span 1."""
        for name in names:
            span = wire_span("ab" * 16, int(name.split()[0]), name=name)
            if "open" in name:
                span.end_time_unix_nano = 0
            request = spooled(message_of([span]), "p")
            self.connection.insert_requests("otlp_requests", FramedRecords([request]))

    def shown(self) -> list[str]:
        sql = "SELECT SpanName FROM v_spans ORDER BY SpanId"
        return [name for (name,) in self._client.query(sql).result_rows]


@pytest.fixture
def sender(fresh_database: Client, monkeypatch: pytest.MonkeyPatch) -> Sender:
    return Sender(fresh_database, monkeypatch)


def test_spans_of_the_first_release_rank_as_new_ones(sender: Sender) -> None:
    sender.upgrade(1)
    sender.send("1 done", "2 open", "3 open", "4 done")
    sender.upgrade(3)
    assert sender.shown() == ["1 done", "2 open", "3 open", "4 done"]
    sender.send("1 open again", "2 open again", "3 done", "4 done again")
    for _ in range(2):
        assert sender.shown() == [
            "1 done",
            "2 open again",
            "3 done",
            "4 done again",
        ]
        sender.connection.run("OPTIMIZE TABLE otel_traces FINAL")


def test_the_sequence_of_a_moved_span_stays(sender: Sender, fresh_database: Client) -> None:
    sender.upgrade(2)
    sender.send("1 open", "2 done")
    sql = "SELECT SpanName, RowVersion FROM otel_traces ORDER BY SpanId"
    before = fresh_database.query(sql).result_rows
    sender.upgrade(3)
    sql = "SELECT SpanName, Seq FROM otel_traces ORDER BY SpanId"
    assert fresh_database.query(sql).result_rows == before
