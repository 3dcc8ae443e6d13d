"""One suite, every store; tests share them and keep apart by project.

What one module asks of the store behind a server as well (``test_trajectory_store.py``), all do
where ``SPANLOOM_TEST_STORE_URL`` is ``served`` or the URL of a server: then it takes minutes.
"""

from __future__ import annotations

import shutil
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
    tmp_path_factory: pytest.TempPathFactory, made_store: Path
) -> Iterator[ClickHouseStore]:
    """Share a store behind the server for tests."""
    path = tmp_path_factory.mktemp("server") / "store"
    shutil.copytree(made_store, path, symlinks=True)
    with served_store(path) as server, closing(open_store(server.url)) as store:
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
