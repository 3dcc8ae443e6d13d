"""A write of trajectories that stops between its INSERTs leaves the old or the new version."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.calls import windows
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.connection import Connection
from spanloom.storage.runs.store import ClickHouseTrajectories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clickhouse_connect.driver.client import Client

    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.storage.engine.row_binary import Pieces, RowBinary
    from spanloom.storage.store import ClickHouseStore

IN_A_TALK = {"conversation_id": "talk"}
INSERTS = 3
"""The number of INSERTs of a write that fills every table; ``write_some`` checks it."""


class BreakingConnection(Connection):
    """A connection that is lost after some INSERTs."""

    def __init__(self, client: Client, inserts: int) -> None:
        super().__init__(client)
        self.left = inserts

    def insert_texts(self, table: str, columns: Sequence[str], texts: Iterable[bytes]) -> None:
        self._count()
        super().insert_texts(table, columns, texts)

    def insert_binary(self, table: str, columns: Iterable[str], rows: RowBinary | Pieces) -> None:
        self._count()
        super().insert_binary(table, columns, rows)

    def _count(self) -> None:
        if not self.left:
            raise StoreUnavailableError("gone")
        self.left -= 1


def listed(store: ClickHouseStore, project: str) -> list[tuple[int, int]]:
    lines = store.runs.list(Reach.only(project), None, 10)
    return [(line.start_ns - START_NS, line.version) for line in lines]


def in_view(store: ClickHouseStore, column: str, view: str, project: str) -> list[object]:
    sql = f"SELECT {column} FROM {view} WHERE Project = '{project}' ORDER BY {column}"
    return [value for (value,) in store.connections.worker._client.query(sql).result_rows]


def check_once(store: ClickHouseStore, key: TraceKey) -> None:
    """Check that the run is once in every list and view, wherever the write stopped."""
    own = Reach.only(key.project)
    [(_, version)] = listed(store, key.project)
    assert in_view(store, "Version", "v_trajectories", key.project) == [version]
    steps = in_view(store, "StepId", "v_steps", key.project)
    assert steps == [f"{n:016x}" for n in ((1, 2, 3), (1, 3, 4))[version - 1]]
    [line] = store.runs.conversation("talk", own, None, 10)
    assert line.version == version
    [talk] = store.conversations.list(own, None, 10)
    assert talk.item.runs == 1
    assert not store.runs.continuation(key).resumes


def two_versions(
    store: ClickHouseStore, key: TraceKey
) -> tuple[TrajectoryRecord, TrajectoryRecord]:
    """Store a run; return its record, and that of its next version, which begins earlier."""
    calls = {f"{n:016x}": key.project for n in (2, 3, 4)}
    run = make_trajectory(key, steps=[model_step(2), model_step(3)])
    old = make_record(key, replace(run, extras=IN_A_TALK), call_keys=calls)
    store.trajectories.write([old])
    moved = make_trajectory(key, START_NS - 7, steps=[model_step(3), model_step(4)])
    head = store.trajectories.heads([key])[key]
    new = replace(moved, extras=IN_A_TALK)
    return old, make_record(key, new, version=2, call_keys=calls, previous=head)


def write_some(store: ClickHouseStore, new: TrajectoryRecord, inserts: int) -> None:
    """Write a record over a connection that is lost after this many INSERTs."""
    connection = BreakingConnection(store.connections.worker._client, inserts)
    try:
        ClickHouseTrajectories(connection, is_alone=True).write([new])
    except StoreUnavailableError:
        assert inserts < INSERTS
    else:
        assert (inserts, connection.left) == (INSERTS, 0)


@pytest.mark.parametrize("inserts", range(INSERTS + 1))
def test_readers_see_the_old_or_the_new_and_writing_again_repairs(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str], inserts: int
) -> None:
    store, key = clickhouse_store, TraceKey(new_project(), "ef" * 16)
    old, new = two_versions(store, key)
    write_some(store, new, inserts)
    assert store.documents.get(key.trace_id, Reach.only(key.project)) in (
        old.document,
        new.document,
    )
    assert listed(store, key.project) in ([(0, 1)], [(-7, 2)])
    check_once(store, key)

    store.trajectories.write([new])
    assert store.documents.get(key.trace_id, Reach.only(key.project)) == new.document
    assert listed(store, key.project) == [(-7, 2)]
    check_once(store, key)
    found = store.calls.find(key.project, windows([key.project], 0, 2**63))
    assert {call.step_id for call in found} == {f"{n:016x}" for n in (3, 4)}


@pytest.mark.parametrize("inserts", range(INSERTS + 1))
def test_who_builds_it_next_finds_whether_lists_have_it(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str], inserts: int
) -> None:
    store, key = clickhouse_store, TraceKey(new_project(), "fe" * 16)
    _, new = two_versions(store, key)
    write_some(store, new, inserts)
    head = ClickHouseTrajectories(store.connections.worker, is_alone=True).heads([key])[key]
    is_stored = inserts > 1
    assert (head.version, head.is_listed) == (1 + is_stored, inserts != INSERTS - 1)
    run = replace(new.trajectory, root=new.trajectory.root._replace(start_ns=START_NS - 9))
    after = make_record(key, run, version=head.next_version, previous=head)
    assert list(after.before) == ([START_NS - 7] if is_stored else []) + [START_NS]
    store.trajectories.write([after])
    assert listed(store, key.project) == [(-9, head.version + 1)]
    assert in_view(store, "Version", "v_trajectories", key.project) == [head.version + 1]
