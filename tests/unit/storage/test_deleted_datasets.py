"""Rows of deleted datasets are removed from every table; rows of other datasets stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanloom.datasets.service import Datasets
from spanloom.storage.upkeep.datasets import OF_DATASETS, remove_datasets
from spanloom.storage.upkeep.lock import NoLock
from spanloom.storage.upkeep.store import ClickHouseUpkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.storage.store import ClickHouseStore

FAR_US = 2**62
"""A time after every deletion, in microseconds."""


@pytest.fixture
def project(new_project: Callable[[], str]) -> str:
    return new_project()


@pytest.fixture
def datasets(clickhouse_store: ClickHouseStore, project: str) -> Datasets:
    made = Datasets(clickhouse_store.datasets)
    for name in ("gone", "kept"):
        made.put(project, name, name, None, "ada")
        made.add(project, name, [{"item_key": "oslo", "input": f"Oslo? {name}"}])
        made.commit(project, name, "ada")
    return made


def rows(store: ClickHouseStore, project: str) -> Iterator[tuple[str, Any]]:
    """Yield each table with the names of the datasets that have rows in it."""
    for table, column in OF_DATASETS.items():
        asked = f"SELECT DISTINCT {column} FROM {table} WHERE Project = '{project}'"
        yield table, {name for (name,) in store.connections.worker._client.query(asked).result_rows}


def test_what_was_deleted_before_a_time_leaves_every_table(
    clickhouse_store: ClickHouseStore, datasets: Datasets, project: str
) -> None:
    connection = clickhouse_store.connections.worker
    datasets.delete(project, "gone", "ada")
    remove_datasets(connection, 1)
    assert all(names == {"gone", "kept"} for _, names in rows(clickhouse_store, project))
    assert ClickHouseUpkeep(connection, NoLock()).remove_datasets(FAR_US) >= 1
    assert dict(rows(clickhouse_store, project)) == {table: {"kept"} for table in OF_DATASETS}
    assert remove_datasets(connection, FAR_US) == 0
    assert datasets.put(project, "gone", "again", None, "ada").draft_items == 0
    assert list(datasets.get(project, "gone").versions) == []
    assert [row["input"] for row in datasets.rows(project, "kept", "", "")] == ["Oslo? kept"]
