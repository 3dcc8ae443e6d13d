"""What an older version stored is found after the schema has moved on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.storage.engine import migrate as migrations
from spanloom.storage.engine.lane import Lane
from spanloom.storage.engine.statements import schema_files
from spanloom.storage.trajectories.store import ClickHouseTrajectories

if TYPE_CHECKING:
    import pytest
    from clickhouse_connect.driver.client import Client

OLD_STEP = """
INSERT INTO steps (Project, TraceId, StepId, Seq, Type, StartTimeUnixNano, EndTimeUnixNano, CallKey)
VALUES ('p', 'old', 'step', 1, 'model', 100, 200, 'said')
"""


def test_calls_stored_before_the_index_had_times_are_found(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    lane = Lane(fresh_database)
    with monkeypatch.context() as before:
        before.setattr(migrations, "schema_files", lambda: schema_files()[:9])
        migrations.migrate(lane)
        lane.run(OLD_STEP)
    assert migrations.migrate(lane) == [file.name for file in schema_files()[9:]]
    store = ClickHouseTrajectories(lane, lane)
    [call] = store.find_calls("p", ["said"], 150, 160)
    assert (call.key, call.dialect) == (TraceKey("p", "old"), "")
    assert store.find_calls("p", ["said"], 201, 300) == []
