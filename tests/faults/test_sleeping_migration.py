"""Two processes migrate one server, and one is suspended, also for longer than its lock lasts.

Their clocks differ by ten minutes, as no lease may depend on them.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support import programs, sleeping_migration
from tests.support.sleeping_migration import MARKED, SILENCE_S
from tests.support.started_server import started_server

from spanloom.storage.upkeep.lock import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clickhouse_connect.driver.client import Client
    from tests.support.programs import Program
    from tests.support.started_server import StartedServer

pytestmark = [pytest.mark.service, pytest.mark.nightly]

ENDED_S = 60.0


@pytest.fixture
def server(tmp_path: Path, made_server: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path / "server", made=made_server) as started:
        yield started


@pytest.fixture
def tables(server: StartedServer) -> Client:
    """Return a client of a server with the tables of this release."""
    return server.client()


def asleep(server: StartedServer, stop: int, log: Path, ahead_s: float = -300) -> Program:
    """Start a migration; return it once it has suspended itself."""
    command = (sleeping_migration.__file__, str(stop), str(ahead_s))
    with log.open("w") as sink:
        process = programs.start(
            [*command, "migrate", f"--store-url={server.url()}"],
            programs.clean_environment(),
            sink.fileno(),
        )
    until = time.monotonic() + ENDED_S
    while _state(process.pid) != "T":
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < until, log.read_text()
        time.sleep(0.02)
    return process


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def locks_of(client: Client) -> Sequence[str]:
    rows = client.query(
        f"SELECT name FROM system.tables WHERE database = 'spanloom' AND startsWith(name, '{LOCK}')"
    )
    return [name for (name,) in rows.result_rows]


@pytest.mark.nightly
def test_who_slept_is_refused_and_waits_as_the_second(
    server: StartedServer, tables: Client, tmp_path: Path
) -> None:
    log = tmp_path / "sleeper"
    sleeper = asleep(server, 1, log)
    assert tables.command("SELECT count() FROM marks") == 0
    began = time.monotonic()
    second = programs.run(
        sleeping_migration.__file__, "0", "300", "migrate", f"--store-url={server.url()}"
    )
    assert (second.returncode, f"applied {MARKED.name}" in second.stdout) == (0, True), second
    assert time.monotonic() - began > SILENCE_S
    assert tables.query("SELECT Who FROM marks ORDER BY At").result_rows == [(1,), (2,)]
    sleeper.send_signal(signal.SIGCONT)
    assert sleeper.wait(ENDED_S) == 0, log.read_text()
    assert "migrating anew" in log.read_text()
    assert tables.query("SELECT Who FROM marks ORDER BY At").result_rows == [(1,), (2,)]
    assert locks_of(tables) == [f"{LOCK}4"]


@pytest.mark.nightly
def test_who_sleeps_for_less_keeps_the_lock(
    server: StartedServer, tables: Client, tmp_path: Path
) -> None:
    log = tmp_path / "sleeper"
    sleeper = asleep(server, 2, log)
    second = asleep_never(server, tmp_path / "second")
    time.sleep(1)
    assert second.poll() is None
    sleeper.send_signal(signal.SIGCONT)
    assert sleeper.wait(ENDED_S) == second.wait(ENDED_S) == 0, log.read_text()
    assert "migrating anew" not in log.read_text()
    assert tables.query("SELECT Who FROM marks ORDER BY At").result_rows == [(1,), (2,)]
    assert locks_of(tables) == [f"{LOCK}3"]


def asleep_never(server: StartedServer, log: Path) -> Program:
    """Start a migration that does not suspend itself, with a clock five minutes ahead."""
    command = (sleeping_migration.__file__, "0", "300")
    with log.open("w") as sink:
        return programs.start(
            [*command, "migrate", f"--store-url={server.url()}"],
            programs.clean_environment(),
            sink.fileno(),
        )
