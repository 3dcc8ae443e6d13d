"""An account that may only read a ClickHouse server suffices to answer users."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.contract.test_deletions import READS, deletion, extract, fill, send
from tests.support.real_server import account
from tests.support.started_server import started_server

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.started_server import StartedServer

pytestmark = pytest.mark.service

REFUSED = r"ACCESS_DENIED|READONLY|lacks a right"
READS_ALONE = "SELECT ON spanloom.*"
OF_WRITERS = {
    *("spans.read_part", "progress.quarantined", "progress.unextracted", "progress.unfinished"),
    *("replays.count_traces", "replays.traces_after", "progress.overlooked"),
}
"""Reads that only roles with write access perform."""
ASKED = {name: read for name, read in READS.items() if name not in OF_WRITERS}
KEPT, DELETED = TraceKey("p", "a" * 32), TraceKey("p", "b" * 32)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, made_server: Path) -> Iterator[StartedServer]:
    accounts = "".join(account(name, READS_ALONE, profile=name) for name in ("reading", "asking"))
    place = tmp_path_factory.mktemp("server") / "server"
    with started_server(place, accounts, made_server) as started:
        with closing(open_store(started.url())) as store:
            fill(store, KEPT)
            fill(store, DELETED)
            store.deletions.delete(deletion(DeletionScope(Reach.ALL, trace_id=DELETED.trace_id)))
        yield started


@pytest.mark.nightly
@pytest.mark.parametrize("profile", ["reading", "asking"])
def test_it_reads_all_but_what_is_deleted(server: StartedServer, profile: str) -> None:
    with closing(open_store(server.url(user=profile))) as store:
        assert [name for name, read in ASKED.items() if not read(store, KEPT)] == []
        assert [name for name, read in ASKED.items() if read(store, DELETED)] == []


@pytest.mark.parametrize("profile", ["reading", "asking"])
def test_it_writes_nothing(server: StartedServer, profile: str) -> None:
    with closing(open_store(server.url(user=profile))) as store:
        with pytest.raises(StoreUnavailableError, match=REFUSED):
            send(store, KEPT)
        with pytest.raises(StoreUnavailableError, match=REFUSED):
            extract(store, KEPT)
