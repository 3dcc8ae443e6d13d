"""Each run has one row in the list: old duplicates go, and rows are written with tombstones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.otlp_requests import START_NS
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.model.span import TraceKey
from spanloom.storage.engine import migrate as migrating
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.migrate import migrate
from spanloom.storage.engine.statements import migrations
from spanloom.storage.runs.rows import encode_record
from spanloom.storage.runs.store import ClickHouseTrajectories

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from clickhouse_connect.driver.client import Client

    from spanloom.storage.store import ClickHouseStore

SHIPPED = migrations()
BEFORE_PLACES = 3
"""The last migration of the release that wrote its tombstones after everything else."""
PLACES = "SELECT TraceId, StartTimeUnixNano, Version FROM v_trajectories ORDER BY ALL"
PARTS = (
    "SELECT rows FROM system.parts WHERE database = currentDatabase() AND active"
    " AND table = 'trajectory_list' ORDER BY min_block_number"
)
TRACES = [f"{n:032x}" for n in range(1, 5)]


def test_doubles_of_earlier_releases_are_gone_after_the_upgrade(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = Connection(fresh_database)
    known = [m for m in SHIPPED if m.number <= BEFORE_PLACES]
    monkeypatch.setattr(migrating, "migrations", lambda: known)
    migrate(connection)
    still, moved, died, alone = TRACES
    key = ("Project", "TraceId", "StartTimeUnixNano", "Seq", "Version")
    connection.insert(
        "trajectories",
        key,
        [["p", still, 5, 10, 1], ["p", moved, 3, 20, 2], ["p", died, 7, 30, 1]],
    )
    connection.insert(
        "trajectory_list",
        (*key, "IsDeleted"),
        [
            ["p", still, 5, 10, 1, 0],
            ["p", moved, 4, 10, 1, 0],  # its tombstone was never written
            ["p", moved, 3, 20, 2, 0],
            ["p", died, 7, 30, 1, 0],
            ["p", died, 6, 40, 2, 0],  # its document was never written
            ["p", alone, 8, 10, 1, 0],  # its document is unknown
        ],
    )
    monkeypatch.setattr(migrating, "migrations", lambda: SHIPPED)
    migrate(connection)
    found = [tuple(row) for row in fresh_database.query(PLACES).result_rows]
    assert found == [(still, 5, 1), (moved, 3, 2), (died, 7, 1), (alone, 8, 1)]


def test_a_build_of_an_earlier_release_is_replaced_by_a_whole_alone(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    key = TraceKey(new_project(), "ab" * 16)
    client, trajectories = (
        clickhouse_store.connections.worker._client,
        clickhouse_store.trajectories,
    )
    trajectories.write([make_record(key, seq=7)])
    for table in ("trajectories", "trajectory_list"):
        client.command(f"OPTIMIZE TABLE {table} FINAL")
    update = "ALTER TABLE trajectories UPDATE ReadMark = '' WHERE Project = {p:String}"
    client.command(f"{update} SETTINGS mutations_sync = 1", {"p": key.project})
    head = trajectories.heads([key])[key]
    assert (head.read_mark, head.seq, head.rank) == ("", 7, 7)
    after = make_record(key, seq=7, version=2, previous=head)
    carried = encode_record(after)
    part = carried._replace(build=carried.build._replace(is_whole=False))
    assert trajectories.write_carried([part]) == set()
    assert trajectories.write_carried([carried]) == {key}
    assert trajectories.heads([key])[key].rank == 8


def test_a_row_of_the_list_and_its_tombstones_are_one_part(
    fresh_database: Client,
) -> None:
    connection = Connection(fresh_database)
    migrate(connection)
    fresh_database.command("SYSTEM STOP MERGES trajectory_list")
    key, trajectories = TraceKey("p", "ab" * 16), ClickHouseTrajectories(connection, is_alone=True)
    for version in range(1, 5):
        run = make_trajectory(key, START_NS - version)
        head = trajectories.heads([key]).get(key)
        trajectories.write([make_record(key, run, version=version, previous=head)])
    assert [rows for (rows,) in fresh_database.query(PARTS).result_rows] == [1, 2, 3, 4]
    assert fresh_database.query(PLACES).result_rows == [(key.trace_id, START_NS - 4, 4)]
