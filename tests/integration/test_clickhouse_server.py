"""The server for tests: a store behind it keeps what it takes, as behind ClickHouse's own."""

from __future__ import annotations

import gzip
from contextlib import closing
from typing import TYPE_CHECKING

import clickhouse_connect
import pytest
from tests.support.contract import hold_to_contract
from tests.support.isolation import make_twins
from tests.support.served_store import served_store

from spanloom.core.model.access import Reach
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.served_store import ServedStore

pytestmark = pytest.mark.service

TRACE = "ab" * 16


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedStore]:
    with served_store(tmp_path_factory.mktemp("server") / "store") as served:
        yield served


def test_rows_of_every_form_are_stored(server: ServedStore) -> None:
    client = clickhouse_connect.get_client(dsn=server.url)
    client.command(
        "CREATE TABLE x (a UInt8, b Array(LowCardinality(String))) ENGINE = MergeTree ORDER BY a"
    )
    client.insert("x", [[1, ["z"]], [2, []]], column_names=["a", "b"])
    client.raw_insert("x", ["a"], b'{"a":3}\n', fmt="JSONEachRow")
    client.raw_insert("x", ["a"], gzip.compress(b"4\n"), fmt="TSV", compression="gzip")
    client.command("INSERT INTO x VALUES (5, ['v'])")
    client.command("INSERT INTO x SELECT 6, []")
    rows = client.query("SELECT * FROM x ORDER BY a").result_rows
    assert rows == [(1, ["z"]), (2, []), (3, []), (4, []), (5, ["v"]), (6, [])]
    assert client.query("SELECT * FROM x WHERE 0").column_names == ("a", "b")


def test_a_store_behind_it_gives_back_what_it_took(server: ServedStore) -> None:
    url = server.url
    with closing(open_upkeep(url)) as upkeep:
        upkeep.migrate()
    with closing(open_store(url)) as store:
        twins = make_twins(store, "mine", "theirs", TRACE)
        assert b"mine" in store.spans.read_otlp(twins.mine)
        assert store.documents.get(TRACE, Reach.only("mine")) is not None


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_the_whole_contract_holds_behind_it() -> None:
    """Three minutes; of the normal suite ``test_trajectory_store.py`` asks it as well."""
    hold_to_contract("served")
