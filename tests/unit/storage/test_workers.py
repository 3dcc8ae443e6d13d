"""Heartbeats in the store show which processes live and since when, by the store's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.workers import LIVING_S, Worker
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.workers import ClickHouseWorkers

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client


def test_a_process_lives_from_its_first_heartbeat_to_its_end(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    one = ClickHouseWorkers(lambda: connection, "one", "1.0")
    two = ClickHouseWorkers(lambda: connection, "two", "2.0")
    one.beat(["extract", "index"], 0.0)
    two.beat(["extract"], 90.5)
    rows = [Worker("extract", "one", "1.0"), Worker("extract", "two", "2.0")]
    assert two.living() == [*rows, Worker("index", "one", "1.0")]
    one.end(["extract", "index"], 1.0)
    assert two.living() == rows[1:]
    age_ms = fresh_database.query(
        "SELECT toUnixTimestamp64Milli(SeenAt) - toUnixTimestamp64Milli(Started)"
        " FROM workers WHERE Id = 'two'"
    ).result_rows[0][0]
    assert 90_500 <= age_ms < 91_500


def test_a_process_without_a_heartbeat_for_seconds_is_dead(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    workers = ClickHouseWorkers(lambda: connection, "one", "1.0")
    for seconds in (LIVING_S - 2, LIVING_S + 1):
        connection.run("TRUNCATE TABLE workers")
        connection.run(
            "INSERT INTO workers (Id, Kind, SeenAt)"
            f" SELECT 'other', 'extract', now64(3) - INTERVAL {seconds} SECOND"
        )
        assert [w.id for w in workers.living()] == ["other"][: int(seconds < LIVING_S)]
