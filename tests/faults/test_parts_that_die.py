"""If a part of the process dies, the process is unready, reports why, ends and loses nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import failing_parts
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import RARE_S, GrpcClient, Load
from tests.support.settling import check_api

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

PARTS = ("spool", "writer", "extractor", "otlp_http", "otlp_grpc", "api")
END_S = 5.0
SLOWNESS_S = 25.0
"""Seconds that a busy machine may add; without the failure a stop may take 60 s."""


@pytest.mark.nightly
def test_a_part_that_dies_ends_the_process_and_loses_nothing(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """Each part dies in turn, and each restart continues with the same data directory."""
    ledger = Ledger()
    for part in PARTS:
        before = len(ledger.account().acknowledged)
        die(part, start_spanloom, ledger, tmp_path / f"{part} dies")
        assert len(ledger.account().acknowledged) > before, part
    account = ledger.account()
    last = start_spanloom("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
    assert check_api(last.api, account) >= account.acknowledged
    assert last.stop() == 0


def die(part: str, start_spanloom: StartSpanloom, ledger: Ledger, trigger: Path) -> None:
    """Start a service of which a part dies under load; assert that it reports and ends in time."""
    entry = (failing_parts.__file__, part, str(trigger))
    spanloom = start_spanloom("serve", "--batch-wait-s=0.1", "--shutdown-s=60", entry=entry)
    spanloom.wait_until_ready()
    with Load(spanloom.addresses, ledger, f"dying {part}", pause_s=RARE_S):
        time.sleep(0.3)
        trigger.write_text("")
        died = time.monotonic()
        reasons = await_unready(spanloom, died + END_S + SLOWNESS_S)
        assert spanloom.process.wait(END_S + SLOWNESS_S) == 1, part
    last_line = spanloom.log.splitlines()[-1]
    assert last_line.startswith(f"spanloom: the part '{part}' has failed: ")
    if part != "api":  # whose death makes ``/readyz`` unavailable
        assert [f"the part '{part}' has failed" in reason for reason in reasons] == [True]


def test_a_part_that_cannot_be_stopped_does_not_keep_a_failed_process_alive(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    trigger = tmp_path / "die"
    entry = (failing_parts.__file__, "stuck", str(trigger))
    spanloom = start_spanloom("serve", "--batch-wait-s=0", "--shutdown-s=60", entry=entry)
    spanloom.wait_until_ready()
    trigger.write_text("")
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    client.send(next(make_requests("stuck")))
    client.close()
    assert spanloom.process.wait(END_S + SLOWNESS_S) == 1
    assert spanloom.log.splitlines()[-1].startswith("spanloom: the part 'writer' has failed: ")


def test_a_dead_writer_has_the_receivers_refuse_at_once(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """Otherwise acknowledged requests would fill the spool while the service looks healthy."""
    trigger = tmp_path / "die"
    entry = (failing_parts.__file__, "writer", str(trigger))
    spanloom = start_spanloom("serve", "--batch-wait-s=0", entry=entry)
    spanloom.wait_until_ready()
    trigger.write_text("")
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    requests = make_requests("to nobody")
    outcomes = [client.send(next(requests))]
    until = time.monotonic() + END_S + SLOWNESS_S
    while outcomes[-1] is Outcome.ACKNOWLEDGED and time.monotonic() < until:
        time.sleep(0.02)  # time for the writer to fail
        outcomes.append(client.send(next(requests)))
    client.close()
    assert outcomes[-1] is Outcome.REFUSED, "with a retry hint"
    assert spanloom.process.wait(END_S + SLOWNESS_S) == 1


def await_unready(spanloom: RunningSpanloom, until: float) -> list[str]:
    """Wait until the service is not ready; return why, or nothing if it no longer answers."""
    while time.monotonic() < until:
        try:
            answer = httpx.get(f"{spanloom.api}/readyz")
        except httpx.TransportError:
            return []
        if answer.status_code == 503:
            reasons: list[str] = answer.json()["reasons"]
            return reasons
        time.sleep(0.02)
    raise AssertionError(f"still ready:\n{spanloom.log}")
