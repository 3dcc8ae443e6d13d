"""F9: after a failed fsync of the spool nothing is acknowledged, and the process ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.support import failing_disk
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import Load, all_clients
from tests.support.settling import check_api

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")


@pytest.mark.skipif(not failing_disk.is_possible(), reason="needs seccomp on a known processor")
def test_a_failed_fsync_acknowledges_nothing_and_ends_the_process(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """After a failed fsync, a second one may report success although data is lost."""
    trigger = tmp_path / "fail"
    first = start_spanloom(*QUICK, "--shutdown-s=1", entry=(failing_disk.__file__, str(trigger)))
    first.wait_until_ready()
    ledger = Ledger()
    with Load(first.addresses, ledger, "before"):
        time.sleep(0.5)
    clients = all_clients(first.addresses)
    trigger.touch()
    until = time.monotonic() + 60
    while not trigger.with_suffix(".done").exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    for number, client in enumerate(clients):
        request = next(make_requests(f"in vain {number}"))
        outcome = client.send(request)
        assert outcome is not Outcome.ACKNOWLEDGED
        ledger.note(request, outcome)
        client.close()
    assert first.process.wait(30) == 1
    assert "requests can no longer be acknowledged: disk I/O error" in first.log.splitlines()[-1]
    second = start_spanloom(*QUICK)
    account = ledger.account()
    assert account.acknowledged
    assert check_api(second.api, account) >= account.acknowledged
    assert second.stop() == 0
