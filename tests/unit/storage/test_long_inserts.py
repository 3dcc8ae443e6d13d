"""An INSERT that takes too long stores nothing, because discovery would miss its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.ports.spans import LONGEST_APPEND_S
from spanloom.extractor.window import SWEEP_BACK_S
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.settings import REQUEST_SETTINGS

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

    from spanloom.storage.store import ClickHouseStore

LIMITS = "SELECT name, value FROM system.settings WHERE name = 'max_execution_time'"


def test_an_insert_that_takes_too_long_stores_nothing_and_is_tried_again(
    fresh_database: Client,
) -> None:
    fresh_database.command("CREATE TABLE entrance (x UInt64) ENGINE = Null")
    fresh_database.command("CREATE TABLE kept (x UInt64) ENGINE = MergeTree ORDER BY x")
    fresh_database.command(
        "CREATE MATERIALIZED VIEW slow TO kept AS SELECT x + sleepEachRow(0.3) AS x FROM entrance"
    )
    connection = Connection(fresh_database, {**REQUEST_SETTINGS, "max_execution_time": 1})
    with pytest.raises(StoreUnavailableError):
        connection.insert("entrance", ["x"], [[n] for n in range(9)])
    assert fresh_database.command("SELECT count() FROM kept") == 0
    connection.insert("entrance", ["x"], [[1]])
    assert fresh_database.command("SELECT count() FROM kept") == 1


def test_the_writer_has_the_limit_and_sweeps_look_further_back(
    clickhouse_store: ClickHouseStore,
) -> None:
    limits = clickhouse_store.connections.writer._client.query(LIMITS).result_rows
    assert limits == [("max_execution_time", str(LONGEST_APPEND_S))]
    assert SWEEP_BACK_S >= LONGEST_APPEND_S + 60
