"""``spanloom backup`` and ``restore`` of a ClickHouse server's database and a collector's spool."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest
from tests.integration.test_backup import QUICK, documents, run, send
from tests.support.ledger import Ledger
from tests.support.settling import check_api
from tests.support.started_server import started_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import StartSpanloom
    from tests.support.started_server import StartedServer

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, made_server: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path_factory.mktemp("server") / "it", made=made_server) as started:
        yield started


@pytest.mark.nightly
def test_the_spool_and_the_server_together_have_all_that_was_acknowledged(
    server: StartedServer, start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    service = start_spanloom(*QUICK, f"--store-url={server.url()}", data_dir=data)
    service.wait_until_ready()
    ledger = Ledger()
    send(service, ledger, "stored", 30)
    check_api(service.api, ledger.account())
    before = documents(service, ledger)
    server.end(signal.SIGTERM)
    send(service, ledger, "spooled", 10)
    spool = str(tmp_path / "spool")
    copied = run("backup", spool, "--spool-only", f"--data-dir={data}")
    assert copied.returncode == 0, copied.stderr
    assert (tmp_path / "spool" / "collector-number").exists()
    service.process.kill()
    server.start()
    made = run("backup", "monday", f"--store-url={server.url()}")
    assert re.search(r"files, [\d,]+ bytes, copied to File\('monday'\) by the server", made.stdout)
    server.client().command("CREATE DATABASE restored ENGINE = Atomic")
    elsewhere = server.url("restored")
    restored = run("restore", "monday", f"--store-url={elsewhere}")
    assert restored.returncode == 0, restored.stderr
    assert run("restore", spool, f"--data-dir={tmp_path / 'new'}").returncode == 0
    again = start_spanloom(*QUICK, f"--store-url={elsewhere}", data_dir=tmp_path / "new")
    check_api(again.api, ledger.account())
    found = documents(again, ledger)
    assert {trace_id: found[trace_id] for trace_id in before} == before


def test_what_the_server_refuses_is_one_line(server: StartedServer, tmp_path: Path) -> None:
    at = f"--store-url={server.url()}"
    assert run("migrate", at).returncode == 0
    assert run("backup", "tuesday", at).returncode == 0
    refusals = {
        ("backup", "tuesday"): "already exists",
        ("backup", str(tmp_path / "elsewhere")): "not allowed",
        ("backup", "Disk('nowhere', 'x')"): "allowed_disk",
        ("backup", "Memory('x')"): "is no place for a backup of a server",
        ("restore", "tuesday"): "tables already: name a new one in --store-url",
        ("restore", "wednesday"): "tables already",
    }
    for (command, place), why in refusals.items():
        ended = run(command, place, at)
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1), ended
        assert why in ended.stderr
    server.client().command("CREATE DATABASE empty ENGINE = Atomic")
    ended = run("restore", "wednesday", f"--store-url={server.url('empty')}")
    assert ended.returncode == 1
    assert "wednesday" in ended.stderr
