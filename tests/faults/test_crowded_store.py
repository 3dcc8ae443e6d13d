"""F15: a service waits for a store with too many parts; nothing is refused, lost or set aside."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import crowded_store
from tests.support.ledger import Ledger, Outcome
from tests.support.senders import Load
from tests.support.settling import check_api

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

pytestmark = pytest.mark.nightly
QUICK = ("serve", "--batch-wait-s=0", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
UNAVAILABLE = 'spanloom_insert_failures_total{kind="unavailable"}'


def test_too_many_parts_are_outlasted(start_spanloom: StartSpanloom, tmp_path: Path) -> None:
    order = tmp_path / "crowded"
    order.touch()
    spanloom = start_spanloom(*QUICK, entry=(crowded_store.__file__, str(order)))
    spanloom.wait_until_ready()
    ledger = Ledger()
    until = time.monotonic() + 60
    number = 0
    while failures(spanloom) < 2:
        assert time.monotonic() < until, spanloom.log
        number += 1
        with Load(spanloom.addresses, ledger, f"crowded {number}"):
            time.sleep(0.3)
    assert "Too many parts" in spanloom.log
    assert not ledger.requests(Outcome.REFUSED), "the spool has room"
    assert "\nspanloom_dead_letters_total 0.0\n" in metrics(spanloom)
    order.unlink()
    account = ledger.account()
    assert check_api(spanloom.api, account) == account.acknowledged
    assert spanloom.stop() == 0


def metrics(spanloom: RunningSpanloom) -> str:
    return httpx.get(f"{spanloom.api}/metrics", timeout=20).text


def failures(spanloom: RunningSpanloom) -> float:
    """Return the number of INSERTs that failed because the store was unavailable."""
    lines = [line for line in metrics(spanloom).splitlines() if line.startswith(UNAVAILABLE)]
    return float(lines[0].rpartition(" ")[2]) if lines else 0
