"""What the tests of connections share: a server with a store."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.configured_server import Account, ConfiguredServer, configured_server

from spanloom.storage.engine import connect
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL = {"min_free_disk_bytes_to_perform_insert": 1 << 60}
"""The profile of an account for which a host has no room."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConfiguredServer]:
    accounts = {"full": Account(profile="full"), "bound": Account(profile="bound")}
    profiles = {"full": FULL, "bound": {"readonly": 1}}
    place = tmp_path_factory.mktemp("connections")
    with configured_server(place, accounts, profiles) as running:
        running.server.client().command("CREATE DATABASE other")
        for database in ("spanloom", "other"):
            with closing(open_upkeep(running.url(database=database))) as upkeep:
                upkeep.migrate()
        yield running


@pytest.fixture(autouse=True)
def no_host_is_known() -> None:
    """Let each test begin like a process."""
    connect.hosts_of.cache_clear()
