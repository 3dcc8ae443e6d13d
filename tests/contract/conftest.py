"""One suite, every store; tests share them and keep apart by project.

What one module asks of a store on a ClickHouse server as well (``test_trajectory_store.py``), all
do where ``SPANLOOM_TEST_STORE_URL`` is ``served`` or the URL of a server.
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
    """Share a store on a ClickHouse server."""
    place = tmp_path_factory.mktemp("server") / "server"
    with served_store(place, made_server) as server, closing(open_store(server.url)) as store:
        yield store


@pytest.fixture(params=["memory", "clickhouse"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture
def key(new_project: Callable[[], str]) -> TraceKey:
    """A trace nobody has sent."""
    project = new_project()
    return TraceKey(project, project.encode().hex().rjust(32, "a")[-32:])
