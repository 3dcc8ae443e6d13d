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
    from pathlib import Path

FULL = {"min_free_disk_bytes_to_perform_insert": 1 << 60}
"""The profile of an account for which a host has no room."""


@pytest.fixture(scope="session")
def server(
    tmp_path_factory: pytest.TempPathFactory, made_server: Path
) -> Iterator[ConfiguredServer]:
    accounts = {"full": Account(profile="full"), "bound": Account(profile="bound")}
    profiles = {"full": FULL, "bound": {"readonly": 1}}
    place = tmp_path_factory.mktemp("connections")
    with configured_server(place, accounts, profiles, made_server) as running:
        yield running


@pytest.fixture(scope="session")
def other(server: ConfiguredServer) -> str:
    """Return the name of another database of the server, which has the tables too."""
    server.server.client().command("CREATE DATABASE other")
    with closing(open_upkeep(server.url(database="other"))) as upkeep:
        upkeep.migrate()
    return "other"


@pytest.fixture(autouse=True)
def no_host_is_known() -> None:
    """Let each test begin like a process."""
    connect.hosts_of.cache_clear()
