"""Data directories from before the first release are refused in one line that says what to do."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

import pytest
from tests.support.recorded_stores import EARLIER, RELEASES, unpack

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.conftest import RunSpanloom

PORTS = ("--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0")
COMMANDS = {"serve": PORTS, "migrate": ()}
WHAT_TO_DO = r"before 0\.1\.0.*`spanloom export.*empty data directory.*`spanloom import`"


def definitions(data: Path) -> dict[str, str]:
    """Return the names and contents of the files that define the tables of a store."""
    folder = (data / "store/metadata/default").resolve()
    return {path.name: path.read_text() for path in folder.iterdir()}


def check_refused(ended: subprocess.CompletedProcess[str]) -> None:
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    [line] = ended.stderr.splitlines()
    assert re.search(WHAT_TO_DO, line), line


@pytest.mark.parametrize("command", COMMANDS)
def test_an_earlier_store_is_refused_and_left_alone(
    command: str, tmp_path: Path, run_spanloom: RunSpanloom
) -> None:
    data = unpack(EARLIER, tmp_path / "data")
    before = definitions(data)
    check_refused(run_spanloom(command, f"--data-dir={data}", *COMMANDS[command]))
    assert definitions(data) == before


def test_an_earlier_spool_is_refused(tmp_path: Path, run_spanloom: RunSpanloom) -> None:
    data = unpack(RELEASES[-1], tmp_path / "data")
    with sqlite3.connect(data / "spool.sqlite") as spool:
        spool.execute("PRAGMA user_version = 3")
    spool.close()
    check_refused(run_spanloom("serve", f"--data-dir={data}", *PORTS))


def test_doctor_tells_of_an_earlier_store(tmp_path: Path, run_spanloom: RunSpanloom) -> None:
    data = unpack(EARLIER, tmp_path / "data")
    ended = run_spanloom("doctor", f"--data-dir={data}")
    assert ended.returncode == 1
    assert "before 0.1.0" in ended.stdout
