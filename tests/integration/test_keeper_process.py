"""Commands keep retention as it is; ``migrate`` makes the tables, also if killed and repeated."""

from __future__ import annotations

import re
import signal
import time
from typing import TYPE_CHECKING

import pytest
from tests.support import programs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom

READ_TTL = """
import sys, clickhouse_connect
client = clickhouse_connect.get_client(interface="chdb", path=sys.argv[1])
for name in ("otel_traces", "trajectories"):
    print(client.query(f"SHOW CREATE TABLE {name}").result_rows[0][0])
"""


def retention_of(data_dir: Path) -> set[str]:
    """Return the days of retention in the tables of a stopped service's store."""
    ended = programs.run("-c", READ_TTL, str(data_dir / "store"))
    assert ended.returncode == 0, ended.stderr
    return set(re.findall(r"toIntervalDay\(\D*(\d+)", ended.stdout))


def test_a_command_that_opens_the_store_leaves_retention_as_it_is(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    assert start_spanloom("serve", "--retention-days=30").stop() == 0
    assert retention_of(data) == {"30"}
    for command in ("replay", "migrate"):
        ended = run_spanloom(command, f"--data-dir={data}")
        assert ended.returncode == 0, ended.stderr
        assert retention_of(data) == {"30"}


def test_a_store_without_tables_is_refused_with_the_command_that_makes_them(
    run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    (tmp_path / "data" / "store").mkdir(parents=True)
    refused = run_spanloom("replay", f"--data-dir={tmp_path / 'data'}")
    assert refused.returncode == 1
    assert refused.stderr == (
        f"spanloom: the store has no tables yet; run `spanloom migrate --data-dir "
        f"{tmp_path / 'data'}` first\n"
    )
    assert run_spanloom("migrate", f"--data-dir={tmp_path / 'data'}").returncode == 0
    assert run_spanloom("replay", f"--data-dir={tmp_path / 'data'}").returncode == 0


@pytest.mark.nightly
@pytest.mark.parametrize("tables", [1, 5, 11])
def test_a_migration_killed_half_way_is_taken_up_again(
    tables: int, start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    kill_when_tables(data, tables)
    ended = run_spanloom("migrate", f"--data-dir={data}")
    assert ended.returncode == 0, ended.stderr
    assert "applied " in ended.stdout  # the kill came before the last migration
    spanloom = start_spanloom("serve", data_dir=data)
    spanloom.wait_until_ready()
    assert spanloom.stop() == 0


def kill_when_tables(data: Path, tables: int) -> None:
    """Start a migration and kill it as soon as that many tables exist."""
    command = ("-m", "spanloom", "migrate", f"--data-dir={data}")
    with (data.parent / "stderr").open("w") as errors:
        process = programs.start(command, programs.clean_environment(), errors.fileno())
    until = time.monotonic() + 60
    folder = data / "store" / "data" / "default"
    while not folder.is_dir() or len(list(folder.iterdir())) < tables:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.0005)
    process.kill()
    assert process.wait(30) == -signal.SIGKILL
