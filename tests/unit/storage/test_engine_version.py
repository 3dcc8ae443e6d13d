"""A server that is too old for the tables is refused in one line, before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from spanloom.core.errors import StartupError
from spanloom.storage.engine.connection import Connection
from spanloom.storage.upkeep.lock import NoLock
from spanloom.storage.upkeep.store import ClickHouseUpkeep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.parameters import Row


class State(NamedTuple):
    """A row of the query that asks for the version."""

    version: str
    clock_ns: int


class Aged(Connection):
    """A connection whose engine reports another version."""

    def __init__(self, client: Client, version: str) -> None:
        super().__init__(client)
        self._version = version

    def rows(self, name: str, **parameters: object) -> Iterator[Row]:
        if name == "engine_state":
            return iter([State(self._version, 0)])
        return super().rows(name, **parameters)


def tables(client: Client) -> int:
    counted = "SELECT count() FROM system.tables WHERE database = currentDatabase()"
    return int(client.query(counted).result_rows[0][0])


@pytest.mark.parametrize("version", ["26.1.9.3", "25.8.2.29", "24.12.1.altinitystable"])
def test_an_old_server_is_refused_as_it_was(fresh_database: Client, version: str) -> None:
    with pytest.raises(StartupError, match=f"version {version}, and the tables need 26.2 or newer"):
        ClickHouseUpkeep(Aged(fresh_database, version), NoLock()).migrate()
    assert tables(fresh_database) == 0


@pytest.mark.parametrize("version", ["26.2.1.1139", "26.10.1.altinitystable"])
def test_a_new_one_is_taken(fresh_database: Client, version: str) -> None:
    assert ClickHouseUpkeep(Aged(fresh_database, version), NoLock()).migrate()
    assert tables(fresh_database) > 10
