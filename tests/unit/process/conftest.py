"""Fixtures: a service in this process that imports files, with keys and access to its spool."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.imported_files import Collector, ReadHere
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.api.services import ServingProcess
from spanloom.client.tries import Patience
from spanloom.metrics import Metrics
from spanloom.process.imports import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def locks() -> Locks:
    return Locks()


@pytest.fixture
def collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    monkeypatch.setattr(running, "FileReading", ReadHere)
    monkeypatch.setattr(running, "Patience", partial(Patience, tries=1))
    made = Collector(tmp_path)
    yield made
    made.spool.close()
    assert list(made.folder.iterdir()) == []  # no file is left over


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def client(collector: Collector, locks: Locks, store: MemoryStore) -> Iterator[TestClient]:
    app = create_app(store, Metrics(), locks.access, ServingProcess(importer=collector.importer))
    with TestClient(app, base_url="http://127.0.0.1:8080") as opened:
        yield opened
