"""F31: a backup that is killed or finds no room leaves nothing half done, and no span is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support import dying_copier, programs
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import GrpcClient
from tests.support.settling import check_api
from tests.support.small_disk import mounted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")


def used(spanloom: RunningSpanloom) -> Ledger:
    """Send a few spans and wait until they are stored; return their ledger."""
    ledger, requests = Ledger(), make_requests("stored")
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    for _ in range(10):
        request = next(requests)
        assert client.send(request) is Outcome.ACKNOWLEDGED
        ledger.note(request, Outcome.ACKNOWLEDGED)
    client.close()
    check_api(spanloom.api, ledger.account())
    return ledger


def dying(point: str, *arguments: str) -> int:
    return programs.run(dying_copier.__file__, point, *arguments).returncode


@pytest.mark.nightly
def test_a_killed_backup_is_none_and_a_killed_restore_does_not_start(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    spanloom, target, back = start_spanloom(*QUICK), tmp_path / "copy", tmp_path / "back"
    ledger = used(spanloom)
    data, at = f"--data-dir={tmp_path / 'data'}", f"--api-url={spanloom.api}"
    for point in dying_copier.BACKUP:
        assert dying(point, "backup", str(target), data, at) == -signal.SIGKILL, point
        assert not target.exists()
        ended = run_spanloom("restore", str(target), f"--data-dir={back}")
        assert "holds no finished backup" in ended.stderr
        assert not back.exists()
    done = run_spanloom("backup", str(target), data, at)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"copy", "data"}

    for point in dying_copier.RESTORE:
        half = tmp_path / point
        assert dying(point, "restore", str(target), f"--data-dir={half}") == -signal.SIGKILL
        for command in (("serve",), ("restore", str(target))):
            ended = run_spanloom(*command, f"--data-dir={half}")
            assert ended.returncode == 1
            assert "did not finish" in ended.stderr or "is not empty" in ended.stderr
    assert run_spanloom("restore", str(target), f"--data-dir={back}").returncode == 0
    second = start_spanloom(*QUICK, data_dir=back)
    check_api(second.api, ledger.account())


@pytest.mark.nightly
def test_a_service_killed_while_it_holds_its_store_loses_nothing(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    [point] = dying_copier.SERVICE
    spanloom = start_spanloom(*QUICK, entry=(dying_copier.__file__, point))
    ledger = used(spanloom)
    target, data = str(tmp_path / "copy"), f"--data-dir={tmp_path / 'data'}"
    ended = run_spanloom("backup", target, data, f"--api-url={spanloom.api}")
    assert spanloom.process.wait(30) == -signal.SIGKILL
    assert (ended.returncode, ended.stderr.count("\n")) == (3, 1)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["data"]
    second = start_spanloom(*QUICK)
    check_api(second.api, ledger.account())
    done = run_spanloom("backup", target, data, f"--api-url={second.api}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.nightly
def test_a_backup_that_cannot_be_written_is_one_line_and_leaves_nothing(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    """Writing fails in a database, then in a file of the store, then as the disk has no room."""
    spanloom, disk = start_spanloom(*QUICK), tmp_path / "disk"
    used(spanloom)
    data, at = f"--data-dir={tmp_path / 'data'}", f"--api-url={spanloom.api}"
    for most_bytes in (20_000, 100):
        limited = writing_at_most(most_bytes, "backup", str(tmp_path / "copy"), data, at)
        assert (limited.returncode, limited.stderr.count("\n")) == (1, 1), limited.stderr
        assert "cannot copy" in limited.stderr
        assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["data"]
    with mounted(disk, "1m"):
        ended = run_spanloom("backup", str(disk / "copy"), data, at)
        assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
        assert "MiB free" in ended.stderr
        assert list(disk.iterdir()) == []


def writing_at_most(most_bytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command that cannot write files beyond this size."""
    limited = "import resource, sys; from spanloom.__main__ import main; "
    limited += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most_bytes}, {most_bytes})); main()"
    return subprocess.run(  # into pipes, as an output file would have the limit too
        [sys.executable, "-c", limited, *arguments],
        capture_output=True,
        text=True,
        timeout=programs.RUN_S,
        check=False,
        env=programs.clean_environment(),
    )
