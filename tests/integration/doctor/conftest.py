"""A used data directory to examine, and the command that examines it."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.doctor import GOOD, Doctor, send

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom


@pytest.fixture
def doctor(run_spanloom: RunSpanloom) -> Doctor:
    return Doctor(run_spanloom)


@pytest.fixture(scope="module")
def served(start_shared_spanloom: StartSpanloom, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that was used and left in order."""
    data = tmp_path_factory.mktemp("served") / "data"
    spanloom = start_shared_spanloom("serve", "--root-quiet-s=0", data_dir=data)
    send(spanloom, GOOD)
    until = time.monotonic() + 30
    while not httpx.get(f"{spanloom.api}/v1/trajectories?has_steps=any").json()["items"]:
        assert time.monotonic() < until, spanloom.log
        time.sleep(0.1)
    assert spanloom.stop() == 0
    return data


@pytest.fixture
def data(served: Path, tmp_path: Path) -> Path:
    """A copy of it, to spoil."""
    return shutil.copytree(served, tmp_path / "copy", symlinks=True)
