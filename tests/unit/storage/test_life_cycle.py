"""A lost store is reported as not answering, and closing it closes every connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import pytest
from clickhouse_connect.driver.exceptions import OperationalError

from spanloom.core.errors import StoreUnavailableError
from spanloom.storage.deletions.hiding import DeletedRows
from spanloom.storage.engine.connection import Connection
from spanloom.storage.store import ClickHouseStore, Connections, compose

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client


class LostClient:
    """A client of the driver whose server is gone."""

    def __init__(self) -> None:
        self.is_closed = False

    server_settings: ClassVar[dict[str, object]] = {}

    def set_client_setting(self, _name: str, _value: object) -> None: ...

    def raw_query(self, *_: object, **__: object) -> bytes:
        raise OperationalError("Connection refused\nby everybody")

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def clients() -> list[LostClient]:
    return [LostClient() for _ in range(6)]


@pytest.fixture
def lost_store(clients: list[LostClient]) -> ClickHouseStore:
    connections = Connections(*(Connection(cast("Client", client)) for client in clients))
    return compose(connections, DeletedRows(has_deletions=True))


def test_a_store_that_is_gone_does_not_answer(lost_store: ClickHouseStore) -> None:
    with pytest.raises(StoreUnavailableError, match="Connection refused") as error:
        lost_store.ping()
    assert "\n" not in str(error.value)


def test_closing_closes_every_connection(
    lost_store: ClickHouseStore, clients: list[LostClient]
) -> None:
    lost_store.close()
    assert all(client.is_closed for client in clients)
