"""F7, F8: with a full disk under spool or store nothing is lost, and service recovers by itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import GrpcClient, Load
from tests.support.settling import check_api
from tests.support.small_disk import mounted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

MIB = 1 << 20
QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")


class SmallDisk:
    """A small file system that can be filled to the last byte."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    def fill(self) -> None:
        with self._filler.open("ab", buffering=0) as file:
            for size in (MIB, 4096, 1):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    continue

    def free(self) -> None:
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    path = tmp_path / "disk"
    with mounted(path, "128m"):
        yield SmallDisk(path)


def test_a_full_disk_under_the_spool_refuses_and_passes(
    start_spanloom: StartSpanloom, disk: SmallDisk, tmp_path: Path
) -> None:
    store = tmp_path / "elsewhere" / "store"
    store.parent.mkdir()
    options = (f"--store-url=chdb://{store}", "--min-free-bytes=0")  # use the disk until it is full
    spanloom = start_spanloom(*QUICK, *options, data_dir=disk.path / "data")
    spanloom.wait_until_ready()
    ledger = Ledger()
    with Load(spanloom.addresses, ledger, "before"):
        time.sleep(0.3)
    disk.fill()
    with Load(spanloom.addresses, ledger, "full") as load:
        load.wait_until_refused(60)
    assert not ledger.requests(Outcome.UNKNOWN), "refused with a hint, not cut off"
    assert httpx.get(f"{spanloom.api}/v1/trajectories", timeout=20).status_code == 200
    assert spanloom.process.poll() is None
    disk.free()
    send_until_acknowledged(spanloom, ledger)
    account = ledger.account()
    assert check_api(spanloom.api, account) >= account.acknowledged
    assert spanloom.stop() == 0


def test_a_full_disk_under_the_store_is_outlasted(
    start_spanloom: StartSpanloom, disk: SmallDisk
) -> None:
    spanloom = start_spanloom(*QUICK, f"--store-url=chdb://{disk.path / 'store'}")
    spanloom.wait_until_ready()
    disk.fill()
    ledger = Ledger()
    with Load(spanloom.addresses, ledger, "store full"):
        time.sleep(1)
    assert not ledger.requests(Outcome.REFUSED), "the spool has room"
    assert not ledger.requests(Outcome.UNKNOWN)
    disk.free()
    account = ledger.account()
    assert account.acknowledged
    assert check_api(spanloom.api, account) == account.acknowledged
    assert spanloom.stop() == 0


def send_until_acknowledged(spanloom: RunningSpanloom, ledger: Ledger) -> None:
    """Send a request, and retry it until it is acknowledged, as a stock exporter does."""
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    request = next(make_requests("after"))
    until = time.monotonic() + 30
    while (outcome := client.send(request)) is not Outcome.ACKNOWLEDGED:
        assert time.monotonic() < until, outcome
        time.sleep(0.2)
    ledger.note(request, outcome)
    client.close()
