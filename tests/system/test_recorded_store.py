"""The data directory of every release can be opened, with all its contents."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support import programs
from tests.support.recorded_stores import RELEASES, STORES, check_answers, unpack

from spanloom.core.ports.progress import FOREVER_S
from spanloom.storage.engine.statements import migrations
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom

QUICK = ("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5", "--batch-wait-s=0.1")


@pytest.mark.parametrize("release", RELEASES)
def test_a_recorded_directory_is_brought_up_to_date_and_read(
    release: str, tmp_path: Path, run_spanloom: RunSpanloom, start_spanloom: StartSpanloom
) -> None:
    data = unpack(release, tmp_path / "data")
    known = (STORES / release / "schema.sql").read_text()
    migrated = run_spanloom("migrate", f"--data-dir={data}")
    applied = [line for line in migrated.stdout.splitlines() if line.startswith("applied ")]
    later = [f"applied {m.name}" for m in migrations() if m.name not in RELEASED[release]]
    assert (migrated.returncode, applied) == (0, later), migrated.stderr
    found = programs.run("-m", "tests.support.schema", f"chdb://{data}/store")
    assert (found.stdout == known) is (not later)
    service = start_spanloom(*QUICK, data_dir=data)
    check_answers(release, service.api)
    assert service.stop() == 0


@pytest.mark.parametrize("release", RELEASES)
def test_what_a_release_has_built_is_not_built_again(
    release: str, tmp_path: Path, run_spanloom: RunSpanloom
) -> None:
    """Old requests have no ids and old progress no digest of ids: this causes no rebuilding."""
    data = unpack(release, tmp_path / "data")
    assert run_spanloom("migrate", f"--data-dir={data}").returncode == 0
    with closing(open_store(f"chdb://{data}/store")) as store:
        built = store.progress.inserted(0, FOREVER_S)
        assert built
        assert store.progress.unextracted() == []
        assert [c for n in range(256) for c in store.progress.overlooked(f"{n:02x}")] == []


RELEASED = {"0.1.0": {"0001_baseline"}}
"""The migrations that each recorded release has."""
