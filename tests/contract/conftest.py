"""Fixtures that run each contract test on every store; tests share stores but not projects.

By default only ``test_trajectory_store.py`` also runs on a store on a ClickHouse server. If
``SPANLOOM_TEST_STORE_URL`` is ``served`` or the URL of a server, all modules do.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.served_store import served_store

from spanloom.core.model.span import TraceKey
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanloom.core.ports.store import Store
    from spanloom.storage.store import ClickHouseStore


@pytest.fixture(scope="session")
def server_store(
    tmp_path_factory: pytest.TempPathFactory, made_server: Path
) -> Iterator[ClickHouseStore]:
    """Yield a store on a ClickHouse server that all tests share."""
    place = tmp_path_factory.mktemp("server") / "server"
    with served_store(place, made_server) as server, closing(open_store(server.url)) as store:
        yield store


@pytest.fixture(params=["memory", "clickhouse"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture
def key(new_project: Callable[[], str]) -> TraceKey:
    """Return the key of a trace that does not exist, in a project of its own."""
    project = new_project()
    return TraceKey(project, project.encode().hex().rjust(32, "a")[-32:])
