"""A write of very long documents first makes room for them and their steps; others do not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.connection import EmbeddedConnection
from spanloom.storage.runs import store as trajectories

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.storage.store import ClickHouseStore


@pytest.mark.parametrize(("length", "times"), [(9_000, 0), (11_000, 3)])
def test_room_is_made_for_long_documents(
    clickhouse_store: ClickHouseStore,
    new_project: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    length: int,
    times: int,
) -> None:
    made: list[EmbeddedConnection] = []
    relax = EmbeddedConnection.relax

    def counted(connection: EmbeddedConnection) -> None:
        relax(connection)
        made.append(connection)

    monkeypatch.setattr(EmbeddedConnection, "relax", counted)
    monkeypatch.setattr(trajectories, "LONG_DOCUMENTS", 10_000)
    key = TraceKey(new_project(), "ef" * 16)
    record = replace(make_record(key, make_trajectory(key)), document=b"x" * length)
    clickhouse_store.trajectories.write([record])
    assert len(made) == times
    assert clickhouse_store.documents.get(key.trace_id, Reach.only(key.project)) == record.document


def test_a_piece_that_is_long_is_not_copied(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    key = TraceKey(new_project(), "ee" * 16)
    record = replace(make_record(key, make_trajectory(key)), document=b"\0'\"\\\n" * 500_000)
    clickhouse_store.trajectories.write([record])
    assert clickhouse_store.documents.get(key.trace_id, Reach.only(key.project)) == record.document
