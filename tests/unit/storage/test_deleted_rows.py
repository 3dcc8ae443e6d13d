"""The keeper removes the rows of deleted traces from every table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.contract.test_deletions import answers, deletion, extract, fill, repeat, send, settle
from tests.support.examples import some_every_day
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.joining.parts import Part
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope
from spanloom.storage.deletions import store as ledger
from spanloom.storage.deletions.hiding import OF_TRACES
from spanloom.storage.deletions.store import read_traces
from spanloom.storage.deletions.torn import find_partly_deleted
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.parameters import within
from spanloom.storage.engine.settings import UPKEEP_SETTINGS
from spanloom.storage.tables import TABLES
from spanloom.storage.upkeep.lock import NoLock
from spanloom.storage.upkeep.store import ClickHouseUpkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.storage.engine.parameters import Row
    from spanloom.storage.store import ClickHouseStore
    from spanloom.storage.tables import Table

STAYING = {"alert_events", "deleted_traces", "experiment_runs"}
"""Tables that keep ids of deleted traces: events of alerts, deletions, and chosen runs."""
COLUMNS = """
SELECT table, groupArray(name) FROM system.columns
WHERE database = currentDatabase()
  AND table IN (SELECT name FROM system.tables
                WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
GROUP BY table
"""


@pytest.fixture
def upkeep(clickhouse_store: ClickHouseStore) -> ClickHouseUpkeep:
    connection = Connection(
        clickhouse_store.connections.writer._client, UPKEEP_SETTINGS
    )  # a connection that filters nothing
    return ClickHouseUpkeep(connection, NoLock())


def rows_of(store: ClickHouseStore, project: str) -> dict[str, int]:
    client = store.connections.writer._client
    found = {
        table: client.query(
            f"SELECT count() FROM {table} WHERE Project = %(p)s", parameters={"p": project}
        ).result_rows[0][0]
        for table in OF_TRACES
    }
    return {table: count for table, count in found.items() if count}


def test_every_table_is_declared_with_the_columns_that_it_has(
    clickhouse_store: ClickHouseStore,
) -> None:
    """Otherwise deletions or retention would leave rows of a new table, or fail."""
    rows = clickhouse_store.connections.writer._client.query(COLUMNS).result_rows
    found = {name: set(columns) for name, columns in rows}
    assert found.keys() == {table.name for table in TABLES}
    for table in TABLES:
        assert set(columns_of(table)) <= found[table.name], table
        assert ("IsKept" in found[table.name]) == table.has_kept, table
    with_traces = {name for name, columns in found.items() if {"Project", "TraceId"} <= columns}
    assert with_traces - set(OF_TRACES) == STAYING


def columns_of(table: Table) -> Iterator[str]:
    """Yield the columns that the declaration of a table names."""
    if table.has_traces:
        yield from ("Project", "TraceId")
    if table.expiry:
        yield table.expiry.column
        yield from ["Project"] if table.expiry.is_by_project else ()
    yield from filter(None, (*(table.arrival or ()), table.dataset))


def test_rows_of_deleted_traces_leave_every_table_and_others_stay(
    clickhouse_store: ClickHouseStore, upkeep: ClickHouseUpkeep, new_project: Callable[[], str]
) -> None:
    gone, kept = (TraceKey(new_project(), "a" * 32) for _ in range(2))
    for key in (gone, kept):
        fill(clickhouse_store, key)
    before = rows_of(clickhouse_store, kept.project)
    on_a_server = {"trajectory_builds"}
    assert before.keys() - on_a_server == set(OF_TRACES) - {"genai_events", *on_a_server}
    asked = clickhouse_store.deletions.delete(deletion(DeletionScope(Reach.only(gone.project))))
    assert upkeep.newest_deletion() == asked.id
    send(clickhouse_store, gone, number=2)
    extract(clickhouse_store, gone)
    assert upkeep.remove_deleted(0) >= len(before)
    assert rows_of(clickhouse_store, gone.project) == {}
    assert rows_of(clickhouse_store, kept.project) == before
    assert upkeep.remove_deleted(0) == 0


@pytest.mark.nightly
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


class EndedError(Exception):
    """Stands for the end of the process at this point."""


def show_in(store: ClickHouseStore, part: TraceKey, home: TraceKey) -> None:
    """Store two finished traces, of which one shows the other as a part of its run."""
    for key in (part, home):
        fill(store, key)
    settle(store, home)
    call = Part(part, "part of s", START_NS, START_NS, 0, 0, 1, home.trace_id).as_call()
    head = store.trajectories.heads([part])[part]
    record = make_record(part, make_trajectory(part), version=2, previous=head)
    store.trajectories.write([replace(record, calls=[call])])


def is_due(store: ClickHouseStore, key: TraceKey) -> bool:
    return key in {change.key for change in store.progress.unextracted()}


@pytest.mark.parametrize("is_recorded", some_every_day([False, True]))
def test_a_home_is_built_again_without_a_deleted_part_though_the_process_ended(
    clickhouse_store: ClickHouseStore,
    upkeep: ClickHouseUpkeep,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    is_recorded: bool,
) -> None:
    part, home = (TraceKey(project, c * 32) for project in [new_project()] for c in "ab")
    show_in(clickhouse_store, part, home)
    record = ledger.record_traces

    def end(connection: Connection, deletion_id: str, traces: Sequence[Row]) -> None:
        if is_recorded:
            record(connection, deletion_id, traces)
        raise EndedError

    monkeypatch.setattr(ledger, "record_traces", end)
    scope = DeletionScope(Reach.only(part.project), trace_id=part.trace_id)
    with pytest.raises(EndedError):
        clickhouse_store.deletions.delete(deletion(scope))
    assert is_due(clickhouse_store, home)
    settle(clickhouse_store, home)  # built while the part was not hidden yet
    upkeep.remove_deleted(0)
    assert answers(clickhouse_store, part) == {}
    assert is_due(clickhouse_store, home)
    settle(clickhouse_store, home)
    upkeep.remove_deleted(0)
    assert not is_due(clickhouse_store, home), "once is enough"


def test_a_repeat_that_was_built_before_its_original_was_hidden_is_built_again(
    clickhouse_store: ClickHouseStore, upkeep: ClickHouseUpkeep, new_project: Callable[[], str]
) -> None:
    key, original = (TraceKey(project, c * 32) for project in [new_project()] for c in "ab")
    for own in (key, original):
        fill(clickhouse_store, own)
    repeat(clickhouse_store, key, original)
    scope = DeletionScope(Reach.only(key.project), trace_id=original.trace_id)
    clickhouse_store.deletions.delete(deletion(scope))
    settle(clickhouse_store, key)
    upkeep.remove_deleted(0)
    assert is_due(clickhouse_store, key)


def test_a_deletion_reads_no_parts_of_other_runs(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    part, home, other, its_home = (TraceKey(p, c * 32) for p in [new_project()] for c in "abcd")
    show_in(clickhouse_store, part, home)
    show_in(clickhouse_store, other, its_home)
    for key in (part, home):
        rows = clickhouse_store.connections.worker.rows(
            "parts_elsewhere", keys=[key], reach=within(Reach.only(part.project))
        )
        assert list(rows) == [(part.project, part.trace_id, home.trace_id)]


def test_a_part_that_is_deleted_already_is_not_built_again(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    part, home = (TraceKey(project, c * 32) for project in [new_project()] for c in "ab")
    show_in(clickhouse_store, part, home)
    of_home, of_part = (
        DeletionScope(Reach.only(key.project), trace_id=key.trace_id) for key in (home, part)
    )
    worker = clickhouse_store.connections.worker
    gone = [row for row in read_traces(worker, of_home, 2**63) if row.TraceId == home.trace_id]
    assert find_partly_deleted(worker, of_home, gone) == [part]
    clickhouse_store.deletions.delete(deletion(of_part))
    assert find_partly_deleted(worker, of_home, gone) == []
