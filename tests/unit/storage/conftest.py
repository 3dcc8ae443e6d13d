"""A database of its own for tests that change the schema."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

import clickhouse_connect
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.clickhouse import ClickHouseStore


@pytest.fixture
def fresh_database(clickhouse_store: ClickHouseStore) -> Iterator[Client]:
    """Connect to an empty database beside the store's."""
    name = f"fresh_{secrets.token_hex(4)}"
    clickhouse_store._worker.run(f"CREATE DATABASE {name}")
    if url := os.environ.get("SPANLOOM_TEST_STORE_URL"):
        client = clickhouse_connect.get_client(dsn=url, database=name)
    else:
        path = clickhouse_store._worker._client.path  # type: ignore[attr-defined]  # embedded
        client = clickhouse_connect.get_client(interface="chdb", path=path, database=name)
    yield client
    client.close()
    clickhouse_store._worker.run(f"DROP DATABASE {name} SYNC")
