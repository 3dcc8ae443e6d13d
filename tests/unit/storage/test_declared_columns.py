"""Records declare the columns of the schema, and columns that a table lacks are added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.upkeep.store import VIEWS, add_declared, declared_columns

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

DESCRIBED = (
    "SELECT table, name, type, comment FROM system.columns WHERE database = currentDatabase()"
)


def test_the_schema_has_what_records_declare(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    assert add_declared(connection) == []
    rows = fresh_database.query(DESCRIBED).result_rows
    made = {(table, name): (kind, comment) for table, name, kind, comment in rows}
    for table, columns in declared_columns().items():
        for name, definition in columns.items():
            kind, comment = made[table, name]
            assert definition.startswith(f"`{name}` {kind} "), (table, name)
            if table != "trajectories":
                said = comment.partition("; 0 in rows older")[0].removesuffix(".") + "."
                escaped = said.replace("'", "\\'")
                assert f"COMMENT '{escaped}'" in definition, (name, definition)


def test_a_column_that_a_table_lacks_is_added_once(fresh_database: Client) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    before = fresh_database.query("DESCRIBE v_trajectories").result_rows
    connection.run("ALTER TABLE trajectory_list DROP COLUMN Tags")
    connection.run("ALTER TABLE trajectory_list DROP COLUMN `Steps.Dialect`")
    fewer = (
        "CREATE OR REPLACE VIEW v_trajectories AS SELECT * EXCEPT Seq FROM trajectory_list FINAL"
    )
    connection.run(f"{fewer} COMMENT 'It\\'s as it was.'")
    assert add_declared(connection) == ["trajectory_list.Tags", "trajectory_list.Steps.Dialect"]
    after = fresh_database.query("DESCRIBE v_trajectories").result_rows
    assert {row[0] for row in before} <= {row[0] for row in after}
    source = f"FROM {fresh_database.database}.trajectory_list FINAL"
    kept = [*connection.rows("view_definition", view="v_trajectories")]
    assert kept == [(source, "It's as it was.")]
    assert add_declared(connection) == []


@pytest.mark.parametrize(
    ("view", "column"), [("v_scores", "Rationale"), ("v_annotations", "AnchorQuote")]
)
def test_a_view_shows_the_column_that_its_table_lacked(
    fresh_database: Client, view: str, column: str
) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    described = "SELECT name, type FROM system.columns WHERE table = {view:String} ORDER BY name"
    before = fresh_database.query(described, {"view": view}).result_rows
    table = VIEWS[view].record.table
    connection.run(
        f"CREATE OR REPLACE VIEW {view} AS SELECT * EXCEPT (IsDeleted, {column}) FROM {table}"
    )
    if table == "scores":
        connection.run("DROP VIEW annotation_scores_writer")  # this view writes the column
    connection.run(f"ALTER TABLE {table} DROP COLUMN {column}")
    assert add_declared(connection) == [f"{table}.{column}"]
    after = fresh_database.query(described, {"view": view}).result_rows
    assert {row[0] for row in before} <= {row[0] for row in after}
    assert fresh_database.query(f"SELECT count() FROM {view}").result_rows == [(0,)]
    assert add_declared(connection) == []
