"""An account that may only read can open and read a store, but is refused as its keeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import clickhouse_connect
import pytest
from clickhouse_connect.driver.models import SettingDef

from spanloom.core.errors import StoreUnavailableError
from spanloom.storage.engine import connect
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

    from spanloom.storage.store import ClickHouseStore

SETTINGS = "SELECT name, value, readonly FROM system.settings"


@pytest.fixture
def url(clickhouse_store: ClickHouseStore) -> str:
    return f"chdb://{clickhouse_store.connections.worker._client.path}"  # type: ignore[attr-defined]  # embedded


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Make every connection that of an account whose profile sets ``readonly = 1``."""

    def open_(*_: object) -> Client:
        client = clickhouse_connect.get_client(interface="chdb", path=url.removeprefix("chdb://"))
        client.command("SET readonly = 1")
        rows = client.query(SETTINGS).result_rows
        client.server_settings = {name: SettingDef(name, value, ro) for name, value, ro in rows}
        return client

    monkeypatch.setattr(connect, "_open", open_)


@pytest.mark.usefixtures("read_only")
def test_a_store_opens_for_an_account_that_may_only_read(url: str) -> None:
    store = open_store(url)
    store.ping()
    with pytest.raises(StoreUnavailableError, match="READONLY"):
        store.connections.worker.run("DROP TABLE trajectories")
    store.close()


@pytest.mark.usefixtures("read_only")
def test_who_keeps_the_store_may_not_be_such_an_account(url: str) -> None:
    upkeep = open_upkeep(url)
    with pytest.raises(StoreUnavailableError, match="READONLY"):
        upkeep.migrate()
    upkeep.close()
