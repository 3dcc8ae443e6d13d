"""A store is opened, or the reason why it cannot be opened is given in one line."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from tests.support import programs

from spanloom.core.errors import StartupError
from spanloom.storage.engine.connect import is_embedded
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from spanloom.storage.store import ClickHouseStore

pytestmark = pytest.mark.service

OPEN = """
import sys
from spanloom.core.errors import StartupError
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep
try:
    upkeep = open_upkeep(sys.argv[1])
    upkeep.migrate()
    upkeep.close()
    open_store(sys.argv[1]).close()
except StartupError as error:
    sys.exit(str(error))
"""


SETTINGS = "SELECT count() FROM system.settings"


def open_elsewhere(url: str) -> subprocess.CompletedProcess[str]:
    """Open a store in a separate process."""
    return programs.run("-c", OPEN, url)


@pytest.mark.parametrize(
    "url",
    ["", "chdb:", "chdb://", "chdb://host/path", "sqlite:///x", "clickhouse:///db", "/data"],
)
def test_what_is_no_store_is_refused_with_the_right_form(url: str) -> None:
    with pytest.raises(StartupError, match="chdb:///path") as error:
        open_store(url)
    assert "\n" not in str(error.value)


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(StartupError, match=r"clickhouse://me:…@127\.0\.0\.1:1/db") as error:
        open_store("clickhouse://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_an_embedded_store_opens_again_as_it_was(tmp_path: Path) -> None:
    url = f"chdb://{tmp_path / 'new' / 'store'}"
    for _ in range(2):
        assert open_elsewhere(url).returncode == 0


def test_an_embedded_store_in_use_is_refused_in_one_line(clickhouse_store: ClickHouseStore) -> None:
    path = clickhouse_store.connections.worker._client.path  # type: ignore[attr-defined]  # of the embedded client
    refused = open_elsewhere(f"chdb://{path}")
    assert refused.returncode == 1
    line = refused.stderr.splitlines()[-1]  # the engine prints its own line first
    assert line.startswith(f"cannot open the store chdb://{path}")
    assert "another process" in line


def test_a_path_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    refused = open_elsewhere(f"chdb://{tmp_path / 'file'}")
    assert refused.returncode == 1
    assert refused.stderr.startswith("cannot open the store")
    assert len(refused.stderr.splitlines()) == 1


def test_a_long_read_holds_up_no_insert(clickhouse_store: ClickHouseStore) -> None:
    slow = "SELECT sum(sleepEachRow(0.5)) FROM numbers(4) SETTINGS max_block_size = 1"
    reader = threading.Thread(
        target=lambda: clickhouse_store.connections.worker._client.query(
            slow
        )  # a connection of its own
    )
    reader.start()
    time.sleep(0.2)
    began = time.monotonic()
    clickhouse_store.connections.writer.insert("extraction_progress", ["TraceId"], [["x"]])
    took = time.monotonic() - began
    assert reader.is_alive()
    assert took < 1
    reader.join()


def test_the_engines_settings_are_read_once_for_all_connections(
    clickhouse_store: ClickHouseStore, store_url: str
) -> None:
    if not is_embedded(store_url):
        pytest.skip("the embedded engine alone")
    known = clickhouse_store.connections.worker._client.command(SETTINGS)
    first, *others = (connection._client for connection in clickhouse_store.connections)
    assert len(first.server_settings) == known
    assert others
    for client in others:
        both = zip(client.server_settings.values(), first.server_settings.values(), strict=True)
        assert all(mine is theirs for mine, theirs in both)
        assert client.get_client_setting("date_time_input_format") == "best_effort"
