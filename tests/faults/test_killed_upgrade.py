"""F30: a later release opens directories of previous ones, also after kills while it migrates."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from tests.support import later_migration, programs
from tests.support.recorded_stores import RELEASES, check_answers, unpack

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom

pytestmark = pytest.mark.nightly
QUICK = ("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5", "--batch-wait-s=0.1")
PORTS = ("--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0")
LATER = (later_migration.__file__, str(later_migration.ENOUGH))


@pytest.mark.parametrize("release", RELEASES)
def test_an_upgrade_killed_again_and_again_loses_nothing(
    release: str, tmp_path: Path, start_spanloom: StartSpanloom, run_spanloom: RunSpanloom
) -> None:
    data = unpack(release, tmp_path / "data")
    assert run_spanloom("migrate", f"--data-dir={data}").returncode == 0
    for left in range(2):
        killed = programs.run(later_migration.__file__, str(left), "migrate", f"--data-dir={data}")
        assert killed.returncode == -signal.SIGKILL, left
    for applied in (f"applied {later_migration.LATER.name}\n", ""):
        ended = programs.run(*LATER, "migrate", f"--data-dir={data}")
        assert ended.stdout == f"{applied}The store's tables are up to date.\n", ended.stderr
    service = start_spanloom(*QUICK, data_dir=data, entry=LATER)
    check_answers(release, service.api)
    assert service.stop() == 0
    refused = run_spanloom("serve", f"--data-dir={data}", *PORTS)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
    assert "newer Spanloom" in refused.stderr
