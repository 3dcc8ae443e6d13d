"""A fixture that gives tests that change the schema a database of their own."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import clickhouse_connect
import pytest

from spanloom.storage.engine.connect import store_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.store import ClickHouseStore


@pytest.fixture
def fresh_database(clickhouse_store: ClickHouseStore, store_url: str) -> Iterator[Client]:
    """Yield a client of a new, empty database in the engine of the store."""
    name = f"fresh_{secrets.token_hex(4)}"
    clickhouse_store.connections.worker.run(f"CREATE DATABASE {name}")
    if store_url.startswith("chdb"):
        path = store_path(store_url)
        client = clickhouse_connect.get_client(interface="chdb", path=str(path), database=name)
    else:
        client = clickhouse_connect.get_client(dsn=store_url, database=name)
    yield client
    client.close()
    clickhouse_store.connections.worker.run(f"DROP DATABASE {name} SYNC")
