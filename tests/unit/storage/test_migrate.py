"""Migrations bring a database up to date, and retention limits how long its tables keep rows."""

from __future__ import annotations

import itertools
import random
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.examples import is_long
from tests.support.later_migration import LATER
from tests.support.otlp_requests import message_of, spooled, wire_span

from spanloom.core.errors import (
    SchemaChangedError,
    SchemaNotReadyError,
    SchemaTooNewError,
    SchemaTooOldError,
    StoreUnavailableError,
)
from spanloom.core.model.upkeep import RetentionPlan, Terms
from spanloom.core.ports.progress import FOREVER_S
from spanloom.core.sharing import ALL
from spanloom.storage.engine import migrate as migrating
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import check_schema, migrate
from spanloom.storage.engine.settings import REQUEST_SETTINGS
from spanloom.storage.engine.slices import in_slices
from spanloom.storage.engine.statements import migrations, query, request_schema
from spanloom.storage.spans.records import FramedRecords
from spanloom.storage.upkeep.retention import EXPIRING, set_retention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.store import ClickHouseStore

DAY_NS = 24 * 3600 * 10**9


def plan_of(days: int) -> RetentionPlan:
    return RetentionPlan(Terms(days, days))


class BreakingConnection(Connection):
    """A connection that is lost after some statements."""

    def __init__(self, client: Client, statements: int) -> None:
        super().__init__(client)
        self._left = statements

    def run(self, statement: str, **parameters: object) -> None:
        if not self._left:
            raise StoreUnavailableError("gone")
        self._left -= 1
        super().run(statement, **parameters)


EVERY_DAY_KILLS = 12


def kills() -> Iterator[int]:
    """Yield the numbers of statements after which a connection is lost, without end.

    The profile ``long`` yields every number. By default it is one in twelve, from a random first
    one, because all statements before each of them run again.
    """
    step = 1 if is_long() else EVERY_DAY_KILLS
    return itertools.count(random.randrange(step), step)


def definitions(connection: Connection) -> dict[str, str]:
    """Return the CREATE statement of each table, without the name of the database."""
    sql = (
        "SELECT name, create_table_query, database FROM system.tables"
        " WHERE database = currentDatabase()"
    )
    rows = connection._client.query(sql).result_rows
    return {name: re.sub(rf"\b{database}\.(?=\w)", "", text) for name, text, database in rows}


def test_an_empty_database_gets_every_file_once(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    assert migrate(connection) == [migration.name for migration in migrations()]
    assert migrate(connection) == []


def test_a_migration_interrupted_anywhere_is_taken_up_again(
    fresh_database: Client, clickhouse_store: ClickHouseStore
) -> None:
    for statements in kills():
        try:
            migrate(BreakingConnection(fresh_database, statements))
        except StoreUnavailableError:
            continue
        break
    connection = Connection(fresh_database)
    assert migrate(connection) == []
    assert len(list(connection.rows("applied_migrations"))) == len(migrations())
    assert definitions(connection) == definitions(clickhouse_store.connections.worker)


@pytest.mark.parametrize("statements", range(4))
def test_a_later_migration_is_applied_once_also_after_a_kill(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch, statements: int
) -> None:
    """The migration runs its entry in the list, its two statements, and the entry again."""
    connection = Connection(fresh_database)
    migrate(connection)
    monkeypatch.setattr(migrating, "migrations", lambda: (*migrations(), LATER))
    with pytest.raises(StoreUnavailableError):
        migrate(
            BreakingConnection(fresh_database, 1 + statements)
        )  # one more ensures that the list exists
    with pytest.raises(SchemaNotReadyError, match=LATER.name):
        check_schema(connection, "")
    assert migrate(connection) == [LATER.name]
    assert migrate(connection) == []
    check_schema(connection, "")
    assert "`Note` String COMMENT" in definitions(connection)["replays"]


def test_a_newer_store_is_refused_in_one_line_and_left_alone(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    connection.run(query("create_migrations"))
    connection.run(query("record_migration"), number=9999, name="9999_later.sql", checksum="")
    with pytest.raises(SchemaTooNewError, match=r"newer.*9999_later\.sql.*upgrade") as error:
        migrate(connection)
    assert "\n" not in str(error.value)
    assert set(definitions(connection)) == {"schema_migrations"}


def test_a_store_without_tables_or_of_an_older_version_is_refused_and_left_alone(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = Connection(fresh_database)
    with pytest.raises(SchemaNotReadyError, match="no tables yet; run `spanloom migrate -x` first"):
        check_schema(connection, "spanloom migrate -x")
    assert definitions(connection) == {}
    migrate(connection)
    check_schema(connection, "")
    tables = definitions(connection)
    monkeypatch.setattr(migrating, "migrations", lambda: (*migrations(), LATER))
    with pytest.raises(SchemaNotReadyError, match=rf"older.*{LATER.name}; run `it`"):
        check_schema(connection, "it")
    assert definitions(connection) == tables


def test_a_store_from_before_the_baseline_is_refused_in_one_line_and_left_alone(
    fresh_database: Client,
) -> None:
    connection = Connection(fresh_database)
    connection.run(query("create_migrations"))
    for number, name in ((1, "0001_spans.sql"), (36, "0036_annotations_for_people.sql")):
        connection.run(query("record_migration"), number=number, name=name, checksum="x")
    for open_it in (lambda: migrate(connection), lambda: check_schema(connection, "")):
        with pytest.raises(SchemaTooOldError, match=r"before 0\.1\.0.*export.*import") as error:
            open_it()
        assert "\n" not in str(error.value)
    assert set(definitions(connection)) == {"schema_migrations"}


def test_a_migration_that_was_changed_after_it_was_applied_is_refused(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    changed = migrations()[0]._replace(text=migrations()[0].text + "\n-- an afterthought")
    later = migrations()[1:]
    monkeypatch.setattr(migrating, "migrations", lambda: (changed, *later))
    with pytest.raises(SchemaChangedError, match=changed.name) as error:
        migrate(connection)
    assert "\n" not in str(error.value)
    check_schema(connection, "")  # a process that does not migrate still starts


@pytest.mark.nightly
def test_retention_can_be_set_changed_and_taken_back(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    before = definitions(connection)
    for days in (30, 7):
        set_retention(connection, plan_of(days))
        for table, expiry in EXPIRING.items():
            ttl = rf"TTL toDateTime\({expiry.column}\) \+ toIntervalDay\(\D*{days}\b"
            assert re.search(ttl, definitions(connection)[table]), table
    set_retention(
        BreakingConnection(fresh_database, 0), plan_of(7)
    )  # nothing to do: no statement is run
    set_retention(connection, plan_of(0))
    assert definitions(connection) == before
    set_retention(BreakingConnection(fresh_database, 0), plan_of(0))


def test_spans_go_when_they_were_accepted_long_ago(fresh_database: Client) -> None:
    connection = Connection(fresh_database, {**REQUEST_SETTINGS, **request_schema(embedded=True)})
    migrate(connection)
    set_retention(connection, plan_of(30))
    now = time.time_ns()
    requests = [
        # An old span accepted now stays: retention does not count from when it ran.
        replace(
            spooled(message_of([wire_span("ab" * 16, n, start_ns=DAY_NS)]), "p"),
            accepted_at_ns=now - days * DAY_NS,
        )
        for n, days in ((1, 0), (2, 29), (3, 31), (4, 300))
    ]
    connection.insert_requests("otlp_requests", FramedRecords(requests))
    for table in ("otel_traces", "trace_changes"):
        connection.run(f"OPTIMIZE TABLE {table} FINAL")
    left = fresh_database.query("SELECT SpanId FROM otel_traces ORDER BY SpanId").result_rows
    assert [span_id for (span_id,) in left] == [f"{n:016x}" for n in (1, 2)]
    shared = in_slices(ALL)
    assert len(list(connection.rows("unextracted", since=0, until=FOREVER_S, shared=shared))) == 1
