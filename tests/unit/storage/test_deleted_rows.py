"""What the keeper leaves of deleted traces: nothing, in no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.contract.test_deletions import answers, deletion, extract, fill, send

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope
from spanloom.storage.deletions.hiding import NOT_OF_TRACES, OF_TRACES
from spanloom.storage.engine.lane import UPKEEP_SETTINGS, Lane
from spanloom.storage.upkeep.lock import NoLock
from spanloom.storage.upkeep.store import ClickHouseUpkeep

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.storage.store import ClickHouseStore

TABLES = """
SELECT name FROM system.tables
WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
"""


@pytest.fixture
def upkeep(clickhouse_store: ClickHouseStore) -> ClickHouseUpkeep:
    lane = Lane(clickhouse_store.lanes.writer._client, UPKEEP_SETTINGS)  # one that filters nothing
    return ClickHouseUpkeep(lane, NoLock())


def rows_of(store: ClickHouseStore, project: str) -> dict[str, int]:
    client = store.lanes.writer._client
    found = {
        table: client.query(
            f"SELECT count() FROM {table} WHERE Project = %(p)s", parameters={"p": project}
        ).result_rows[0][0]
        for table in OF_TRACES
    }
    return {table: count for table, count in found.items() if count}


def test_every_table_has_a_rule_for_deletions(clickhouse_store: ClickHouseStore) -> None:
    tables = {name for (name,) in clickhouse_store.lanes.writer._client.query(TABLES).result_rows}
    assert tables == {*OF_TRACES, *NOT_OF_TRACES}


def test_rows_of_deleted_traces_leave_every_table_and_others_stay(
    clickhouse_store: ClickHouseStore, upkeep: ClickHouseUpkeep, new_project: Callable[[], str]
) -> None:
    gone, kept = (TraceKey(new_project(), "a" * 32) for _ in range(2))
    for key in (gone, kept):
        fill(clickhouse_store, key)
    before = rows_of(clickhouse_store, kept.project)
    assert before.keys() == set(OF_TRACES) - {"genai_events"}
    asked = clickhouse_store.deletions.delete(deletion(DeletionScope(Reach.only(gone.project))))
    assert upkeep.newest_deletion() == asked.id
    send(clickhouse_store, gone, number=2)
    extract(clickhouse_store, gone)
    assert upkeep.remove_deleted(0) >= len(before)
    assert rows_of(clickhouse_store, gone.project) == {}
    assert rows_of(clickhouse_store, kept.project) == before
    assert upkeep.remove_deleted(0) == 0


def test_a_deletion_ends_when_its_time_is_over_and_stays_in_the_audit(
    clickhouse_store: ClickHouseStore, upkeep: ClickHouseUpkeep, new_project: Callable[[], str]
) -> None:
    key = TraceKey(new_project(), "a" * 32)
    fill(clickhouse_store, key)
    asked = clickhouse_store.deletions.delete(deletion(DeletionScope(Reach.only(key.project))))
    upkeep.remove_deleted(asked.requested_at_ns + 1)
    assert answers(clickhouse_store, key) == {}
    fill(clickhouse_store, key)
    assert next(d for d in clickhouse_store.deletions.list(100) if d.id == asked.id).is_over
