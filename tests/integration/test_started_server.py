"""The server that is started from chdb-core's library behaves as a ClickHouse server."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError
from tests.support import found_entrance
from tests.support.found_entrance import NOT_FOUND, search
from tests.support.programs import ROOT
from tests.support.real_server import account
from tests.support.started_server import StartedServer, require_entrance, started_server

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.service

TABLE = "CREATE TABLE IF NOT EXISTS kept (a UInt8) ENGINE = MergeTree ORDER BY a"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartedServer]:
    accounts = account("writer", "INSERT ON spanloom.kept")
    with started_server(tmp_path_factory.mktemp("server") / "it", accounts) as started:
        started.client().command(TABLE)
        yield started


def test_accounts_have_their_rights_alone(server: StartedServer) -> None:
    server.client(user="writer").command("INSERT INTO kept VALUES (1)")
    with pytest.raises(DatabaseError, match="ACCESS_DENIED"):
        server.client(user="writer").command("SELECT * FROM kept")
    with pytest.raises(DatabaseError, match="READONLY"):
        server.client(user="reader").command(TABLE)
    with pytest.raises(DatabaseError, match="AUTHENTICATION_FAILED"):
        server.client(user="nobody")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_what_it_took_outlasts_its_end(server: StartedServer, how: signal.Signals) -> None:
    client = server.client()
    client.command("INSERT INTO kept VALUES (2)")
    before = client.command("SELECT count() FROM kept")
    at = server.address
    server.end(how)
    server.start()
    assert server.address == at
    assert server.client().command("SELECT count() FROM kept") == before


def test_a_library_without_the_entrance_is_a_sentence_that_the_ci_looks_for() -> None:
    sentence = str(search(Path(sys.executable).resolve()))
    assert re.fullmatch(
        rf"{NOT_FOUND} in chdb-core [\d.]+: it has no text .*LocalServer.*", sentence
    )
    assert f'grep "{NOT_FOUND}"' in (ROOT / ".ci" / "run").read_text()


def test_where_it_is_not_found_a_test_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(found_entrance, "library_path", lambda: Path(sys.executable).resolve())
    require_entrance.cache_clear()
    with pytest.raises(pytest.skip.Exception, match=NOT_FOUND):
        StartedServer(tmp_path / "server")
    require_entrance.cache_clear()
