"""Every function of the engine was reviewed, and only those that just compute are accepted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spanloom.sql.vocabulary import IN_FUNCTIONS, REFUSED_FUNCTIONS, TABLE_FUNCTIONS

if TYPE_CHECKING:
    from spanloom.storage.store import ClickHouseStore

REVIEWED = Path(__file__).parents[2] / "support" / "reviewed_functions.txt"


def names(store: ClickHouseStore, text: str) -> set[str]:
    return set(store.connections.prober._client.raw_query(text, fmt="TSV").decode().split())


def test_no_function_is_taken_that_nobody_has_looked_at(clickhouse_store: ClickHouseStore) -> None:
    """After an upgrade of the engine: refuse functions that reach the host, add all to the file."""
    found = names(clickhouse_store, "SELECT name FROM system.functions WHERE origin = 'System'")
    taken = {name for name in found if not REFUSED_FUNCTIONS.fullmatch(name.lower())}
    assert sorted(taken - set(REVIEWED.read_text("utf-8").split())) == []


def test_functions_that_stand_for_tables_are_the_engines(clickhouse_store: ClickHouseStore) -> None:
    found = names(clickhouse_store, "SELECT lower(name) FROM system.table_functions")
    assert sorted(TABLE_FUNCTIONS - found) == []


def test_operators_with_a_set_are_the_engines(clickhouse_store: ClickHouseStore) -> None:
    pattern = "^(global)?(not)?(null)?in(ignoreset)?$"
    text = f"SELECT lower(name) FROM system.functions WHERE match(lower(name), '{pattern}')"
    assert names(clickhouse_store, text) <= IN_FUNCTIONS


@pytest.mark.parametrize("name", ["file", "sleep", "sleepeachrow", "joinget", "hascolumnintable"])
def test_what_reaches_outside_is_refused(name: str) -> None:
    assert REFUSED_FUNCTIONS.fullmatch(name)


@pytest.mark.parametrize("name", ["position", "tostring", "files", "dateadd", "displayname"])
def test_what_only_computes_is_taken(name: str) -> None:
    assert not REFUSED_FUNCTIONS.fullmatch(name)
