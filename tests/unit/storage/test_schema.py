"""The database has the recorded schema, with comments, durable tables and limits for readers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.support.recorded_stores import RELEASES, STORES, UNRELEASED, definitions_of
from tests.support.schema import schema_of

from spanloom.core.errors import StoreUnavailableError
from spanloom.storage.engine.statements import migrations

if TYPE_CHECKING:
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.store import ClickHouseStore

# The OpenTelemetry Collector's ClickHouse exporter, internal/sqltemplates/traces_table.sql.
EXPORTER_COLUMNS = {
    "Timestamp": "DateTime64(9)",
    "TraceId": "String",
    "SpanId": "String",
    "ParentSpanId": "String",
    "TraceState": "String",
    "SpanName": "LowCardinality(String)",
    "SpanKind": "LowCardinality(String)",
    "ServiceName": "LowCardinality(String)",
    "ResourceAttributes": "Map(LowCardinality(String), String)",
    "ScopeName": "String",
    "ScopeVersion": "String",
    "SpanAttributes": "Map(LowCardinality(String), String)",
    "Duration": "UInt64",
    "StatusCode": "LowCardinality(String)",
    "StatusMessage": "String",
    "Events.Timestamp": "Array(DateTime64(9))",
    "Events.Name": "Array(LowCardinality(String))",
    "Events.Attributes": "Array(Map(LowCardinality(String), String))",
    "Links.TraceId": "Array(String)",
    "Links.SpanId": "Array(String)",
    "Links.TraceState": "Array(String)",
    "Links.Attributes": "Array(Map(LowCardinality(String), String))",
}


@pytest.fixture
def connection(clickhouse_store: ClickHouseStore) -> Connection:
    """A connection without the limits of readers."""
    return clickhouse_store.connections.worker


def ask(connection: Connection, sql: str) -> list[list[str]]:
    """Run a test's own SQL, and return the rows."""
    return [list(row) for row in connection._client.query(sql).result_rows]


_DROPPED = re.compile(r"^DROP (TABLE|VIEW) IF EXISTS (\w+)", re.MULTILINE)


def test_the_schema_is_as_recorded_and_then_migrated(connection: Connection) -> None:
    """If the schema was changed on purpose, follow ``docs/releasing.md``."""
    released = definitions_of((STORES / RELEASES[-1] / "schema.sql").read_text())
    changed = definitions_of(UNRELEASED.read_text())
    dropped = {f"{what} {name}" for m in migrations() for what, name in _DROPPED.findall(m.finish)}
    kept = {
        made: text for made, text in released.items() if not any(gone in made for gone in dropped)
    }
    assert definitions_of(schema_of(connection)) == kept | changed
    assert not changed.items() & released.items()


def test_spans_have_the_columns_of_the_collectors_exporter(connection: Connection) -> None:
    types = dict(
        ask(connection, "SELECT name, type FROM system.columns WHERE table = 'otel_traces'")
    )
    plain = {name: kind.replace("LowCardinality(String)", "String") for name, kind in types.items()}
    for name, kind in EXPORTER_COLUMNS.items():
        assert plain[name] == kind.replace("LowCardinality(String)", "String"), name


def test_every_table_and_column_has_a_comment(connection: Connection) -> None:
    bare = ask(
        connection,
        "SELECT table, name FROM system.columns WHERE database = currentDatabase()"
        " AND comment = '' AND table NOT LIKE 'v\\_%' AND table NOT LIKE '%writer'"
        " AND table NOT LIKE '%decoder'",
    )
    assert bare == []
    tables = ask(
        connection,
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND comment = ''"
        " AND engine != 'MaterializedView'",
    )
    assert tables == []


def test_every_stored_table_is_fsynced_keeps_no_insert_log_and_opens_with_broken_parts(
    connection: Connection,
) -> None:
    rows = ask(
        connection,
        "SELECT name, create_table_query FROM system.tables"
        " WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
    )
    for name, statement in rows:
        assert "fsync_after_insert = 1" in statement, name
        assert "fsync_part_directory = 1" in statement, name
        assert "min_rows_to_fsync_after_merge = 1" in statement, name
        assert "max_suspicious_broken_parts = 1000000000" in statement, name
        assert "do_not_merge_across_partitions_select_final" not in statement, name


def test_views_answer(connection: Connection) -> None:
    for view in ("v_spans", "v_trajectories", "v_steps"):
        assert ask(connection, f"SELECT * FROM {view} LIMIT 1") is not None
    assert ask(connection, "SELECT ConversationId FROM v_trajectories LIMIT 1") is not None


def test_readers_can_neither_write_nor_lift_their_limits(clickhouse_store: ClickHouseStore) -> None:
    reader = clickhouse_store.connections.reader
    for statement in (
        "CREATE TABLE t (x UInt8) ENGINE = Memory",
        "INSERT INTO extraction_progress (TraceId) VALUES ('x')",
        "SET max_execution_time = 0",
        "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    ):
        with pytest.raises(StoreUnavailableError, match="READONLY"):
            reader.run(statement)
    limits = dict(
        ask(
            reader,
            "SELECT name, value FROM system.settings"
            " WHERE name IN ('max_execution_time', 'max_memory_usage')",
        )
    )
    assert limits == {"max_execution_time": "10", "max_memory_usage": str(1 << 30)}
