"""Kills the service under load, restarts it, and checks that each acknowledged span is stored once.

Meanwhile a client follows the change feed, and in the end knows the newest version of every
trajectory.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.support import dying_at
from tests.support.feed_follower import Follower
from tests.support.ledger import Ledger, Outcome, Request
from tests.support.senders import RARE_S, Load
from tests.support.settling import check_api, check_store

if TYPE_CHECKING:
    import pytest
    from tests.conftest import StartSpanloom

LOAD_S = (0.1, 0.5)
DEATH_S = 60.0
EAGER = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.3", "--no-root-quiet-s=1")
"""Many small INSERTs and extractions, so that a kill interrupts some of them."""


def survive_kills(
    start_spanloom: StartSpanloom, capsys: pytest.CaptureFixture[str], rounds: int
) -> None:
    chance = Random(3)  # repeatable
    ledger, follower = Ledger(), Follower()
    for number in range(rounds):
        spanloom = start_spanloom(*EAGER)
        load = Load(spanloom.addresses, ledger, f"round {number}", to_repeat(ledger, chance))
        with load, follower.at(spanloom.api):
            time.sleep(chance.uniform(*LOAD_S))
            assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    settle(start_spanloom, ledger, follower, f"{rounds} kills", capsys)
    assert len(ledger.account().acknowledged) > rounds, "of each something was under way"


def survive_deaths(
    start_spanloom: StartSpanloom, capsys: pytest.CaptureFixture[str], rounds: int
) -> None:
    chance = Random(5)
    ledger, follower = Ledger(), Follower()
    for number in range(rounds):
        for point in dying_at.POINTS:
            entry = (dying_at.__file__, point, str(chance.randint(1, 3)))
            spanloom = start_spanloom(*EAGER, entry=entry)
            again = to_repeat(ledger, chance)
            load = Load(spanloom.addresses, ledger, f"{point} {number}", again, RARE_S)
            with load, follower.at(spanloom.api):
                assert spanloom.process.wait(DEATH_S) == -signal.SIGKILL, point
    what = f"{rounds} kills at {len(dying_at.POINTS)} points"
    settle(start_spanloom, ledger, follower, what, capsys)


def settle(
    start_spanloom: StartSpanloom,
    ledger: Ledger,
    follower: Follower,
    what: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Start the service again, and check that API and store have each acknowledged span once."""
    account = ledger.account()
    last = start_spanloom(*EAGER)
    in_api = check_api(last.api, account)
    follower.check(last.api)
    assert last.stop() == 0
    assert last.complaints == []
    check_store(Path(last.addresses["data_dir"]), account, in_api)
    with capsys.disabled():
        print(f"\n{what}: {len(account.acknowledged)} spans acknowledged, each there once")


def to_repeat(ledger: Ledger, chance: Random) -> list[Request]:
    """Choose the requests to repeat: those without response, and some whose response was lost."""
    unknown = ledger.requests(Outcome.UNKNOWN)
    taken = ledger.requests(Outcome.ACKNOWLEDGED)
    return [
        *(request for request in unknown if chance.random() < 0.5),
        *chance.sample(taken, min(len(taken), 10)),
    ]
