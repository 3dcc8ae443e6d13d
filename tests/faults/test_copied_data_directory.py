"""A used data directory that any tool has copied or moved opens at its new path with all data."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.examples import some_every_day
from tests.support.ledger import Ledger, Outcome, Request, make_requests
from tests.support.senders import GrpcClient
from tests.support.settling import check_api, check_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
REQUESTS = 12


def by_tool(*command: str) -> Callable[[Path, Path], None]:
    def copy(source: Path, target: Path) -> None:
        subprocess.run([*command, str(source), str(target)], check=True)

    return copy


def by_tar(source: Path, target: Path) -> None:
    target.mkdir()
    packed = subprocess.run(["tar", "cf", "-", "-C", source, "."], check=True, capture_output=True)
    subprocess.run(["tar", "xf", "-", "-C", target], check=True, input=packed.stdout)


def without_links(source: Path, target: Path) -> None:
    """Copy without symbolic links, as ``rsync -r``, some archives and object storage do."""
    shutil.copytree(source, target, symlinks=True)
    for path in list(target.rglob("*")):
        if path.is_symlink():
            path.unlink()


def with_absolute_links(source: Path, target: Path) -> None:
    """Copy with absolute links, as some tools do; they point into the original, which remains."""
    shutil.copytree(source, target, symlinks=True)
    for path in list(target.rglob("*")):
        if path.is_symlink():
            meant = (source / path.relative_to(target)).resolve()
            path.unlink()
            path.symlink_to(meant)


WAYS: dict[str, Callable[[Path, Path], None]] = {
    "cp -r": by_tool("cp", "-r"),
    "cp -rL": by_tool("cp", "-rL"),
    "tar": by_tar,
    "mv": by_tool("mv"),
    "without links": without_links,
    "absolute links": with_absolute_links,
    **({"rsync -a": by_tool("rsync", "-a")} if shutil.which("rsync") else {}),
}


@pytest.fixture(scope="module")
def used(start_shared_spanloom: StartSpanloom) -> tuple[Path, Ledger]:
    """Return a data directory in which spans were stored and read, and the ledger of these."""
    ledger = Ledger()
    spanloom = start_shared_spanloom(*QUICK)
    requests = make_requests("before the copy")
    send(spanloom, ledger, [next(requests) for _ in range(REQUESTS)])
    check_api(spanloom.api, ledger.account())
    assert spanloom.stop() == 0
    return Path(spanloom.addresses["data_dir"]), ledger


@pytest.mark.parametrize("way", some_every_day(WAYS))
def test_it_opens_and_goes_on(
    way: str, used: tuple[Path, Ledger], start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    source, elsewhere = tmp_path / "source", tmp_path / "mounted" / "elsewhere"
    elsewhere.parent.mkdir()
    shutil.copytree(used[0], source, symlinks=True)
    WAYS[way](source, elsewhere)
    ledger = Ledger()
    for request in used[1].requests(Outcome.ACKNOWLEDGED):
        ledger.note(request, Outcome.ACKNOWLEDGED)
    copied = start_spanloom(*QUICK, data_dir=elsewhere)
    check_api(copied.api, ledger.account())
    requests = make_requests(f"after {way}")
    send(copied, ledger, [next(requests) for _ in range(5)])
    in_api = check_api(copied.api, ledger.account())
    assert copied.stop() == 0
    assert copied.complaints == []
    check_store(elsewhere, ledger.account(), in_api)


def test_a_link_that_fits_two_databases_is_asked_about(
    used: tuple[Path, Ledger], start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """The service refuses to start, because a wrong guess could hide everything that is stored."""
    shutil.copytree(used[0], tmp_path / "copy", symlinks=True)
    store = tmp_path / "copy" / "store"
    database = (store / "metadata" / "default").resolve()
    shutil.copytree(database, database.with_name("b" * 8 + database.name[8:]))
    (store / "metadata" / "default").unlink()
    with pytest.raises(AssertionError, match="copied without its symbolic links"):
        start_spanloom(*QUICK, data_dir=store.parent)


def send(spanloom: RunningSpanloom, ledger: Ledger, requests: list[Request]) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    for request in requests:
        outcome = client.send(request)
        assert outcome is Outcome.ACKNOWLEDGED
        ledger.note(request, outcome)
    client.close()
