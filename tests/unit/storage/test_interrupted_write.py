"""A write of trajectories that stops between two of its INSERTs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.calls import windows
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.lane import Lane
from spanloom.storage.runs.store import ClickHouseTrajectories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.row_binary import Pieces, RowBinary
    from spanloom.storage.store import ClickHouseStore

INSERTS = 4
"""What a write with something of everything takes; checked below."""


class BreakingLane(Lane):
    """A lane that is lost after some INSERTs."""

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


def steps(store: ClickHouseStore, project: str) -> list[str]:
    sql = f"SELECT StepId FROM v_steps WHERE Project = '{project}' ORDER BY StepId"
    return [step_id for (step_id,) in store.lanes.worker._client.query(sql).result_rows]


@pytest.mark.parametrize("inserts", range(INSERTS + 1))
def test_readers_see_the_old_or_the_new_and_writing_again_repairs(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str], inserts: int
) -> None:
    store, key = clickhouse_store, TraceKey(new_project(), "ef" * 16)
    calls = {f"{n:016x}": key.project for n in (2, 3, 4)}
    old = make_record(
        key, make_trajectory(key, steps=[model_step(2), model_step(3)]), call_keys=calls
    )
    store.trajectories.write([old])
    moved = make_trajectory(key, START_NS - 7, steps=[model_step(3), model_step(4)])
    new = make_record(
        key, moved, version=2, call_keys=calls, previous=store.trajectories.heads([key])[key]
    )

    lane = BreakingLane(store.lanes.worker._client, inserts)
    try:
        ClickHouseTrajectories(lane, is_alone=True).write([new])
    except StoreUnavailableError:
        assert inserts < INSERTS
    else:
        assert (inserts, lane.left) == (INSERTS, 0)

    assert store.documents.get(key.trace_id, Reach.only(key.project)) in (
        old.document,
        new.document,
    )
    assert listed(store, key.project) in ([(0, 1)], [(0, 2)], [(-7, 2)])

    store.trajectories.write([new])
    assert store.documents.get(key.trace_id, Reach.only(key.project)) == new.document
    assert listed(store, key.project) == [(-7, 2)]
    assert steps(store, key.project) == [f"{n:016x}" for n in (1, 3, 4)]
    found = store.calls.find(key.project, windows([key.project], 0, 2**63))
    assert {call.step_id for call in found} == {f"{n:016x}" for n in (3, 4)}
