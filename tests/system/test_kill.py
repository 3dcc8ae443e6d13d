"""kill -9 under load, again and again: every acknowledged span is there, exactly once."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.support.ledger import Ledger, Outcome, Request
from tests.support.senders import Load
from tests.support.settling import check_api, check_store

if TYPE_CHECKING:
    from tests.conftest import StartSpanloom, Tell

ROUNDS = 20
LOAD_S = (0.1, 0.8)
EAGER = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.3", "--no-root-quiet-s=1")
"""Many small INSERTs and extractions, so that a kill meets some of them half way."""


def test_acknowledged_spans_survive_kills_exactly_once(
    start_spanloom: StartSpanloom, tell: Tell
) -> None:
    chance = Random(3)  # repeatable
    ledger = Ledger()
    for number in range(ROUNDS):
        spanloom = start_spanloom(*EAGER)
        with Load(spanloom.addresses, ledger, f"round {number}", to_repeat(ledger, chance)):
            time.sleep(chance.uniform(*LOAD_S))
            assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    account = ledger.account()
    last = start_spanloom(*EAGER)
    in_api = check_api(last.api, account)
    assert last.stop() == 0
    assert last.log == ""
    check_store(Path(last.addresses["data_dir"]), account, in_api)
    tell(f"{ROUNDS} kills: {len(account.acknowledged)} spans acknowledged, each there once")
    assert len(account.acknowledged) > ROUNDS * 20


def to_repeat(ledger: Ledger, chance: Random) -> list[Request]:
    """Choose what clients send once more: what nobody answered, and answers that got lost."""
    unknown = ledger.requests(Outcome.UNKNOWN)
    taken = ledger.requests(Outcome.ACKNOWLEDGED)
    return [
        *(request for request in unknown if chance.random() < 0.5),
        *chance.sample(taken, min(len(taken), 10)),
    ]
