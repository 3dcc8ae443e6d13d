"""On an almost full disk, requests are refused while reads go on; it recovers by itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
from tests.support import stated_disk
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import all_clients
from tests.support.settling import check_api

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
PASSES_S = 30.0
PROTOBUF = {"content-type": "application/x-protobuf"}


def await_readiness(spanloom: RunningSpanloom, status: str) -> list[str]:
    """Wait for a status of ``/readyz``, whose HTTP code must stay 200; return its reasons."""
    until = time.monotonic() + PASSES_S
    while (answer := httpx.get(f"{spanloom.api}/readyz")).json()["status"] != status:
        assert answer.status_code == 200
        assert time.monotonic() < until, answer.text
        time.sleep(0.1)
    reasons: list[str] = answer.json()["reasons"]
    return reasons


def replace(told: Path, text: str) -> None:
    written = told.with_suffix(".new")
    written.write_text(text)
    written.replace(told)


def send(spanloom: RunningSpanloom, ledger: Ledger, name: str) -> set[Outcome]:
    """Send a request over every transport; return the outcomes."""
    outcomes = set()
    for number, client in enumerate(all_clients(spanloom.addresses)):
        request = next(make_requests(f"{name} {number}"))
        outcomes.add(outcome := client.send(request))
        ledger.note(request, outcome)
        client.close()
    return outcomes


def test_an_almost_full_disk_refuses_with_a_hint_and_passes(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    told = tmp_path / "free"
    told.write_text("1000000")
    entry = (stated_disk.__file__, str(told))
    spanloom = start_spanloom(*QUICK, "--min-free-bytes=1000000", entry=entry)
    spanloom.wait_until_ready()
    ledger = Ledger()
    assert send(spanloom, ledger, "before") == {Outcome.ACKNOWLEDGED}
    assert check_api(spanloom.api, ledger.account()) == ledger.account().acknowledged
    replace(told, "999999")
    [reason] = await_readiness(spanloom, "degraded")
    assert "--min-free-bytes" in reason
    assert send(spanloom, ledger, "meanwhile") == {Outcome.REFUSED}
    answer = httpx.post(f"{spanloom.addresses['otlp_http']}/v1/traces", headers=PROTOBUF)
    assert (answer.status_code, int(answer.headers["retry-after"])) == (503, 5)
    found = {f["name"]: f for f in httpx.get(f"{spanloom.api}/v1/doctor").json()["findings"]}
    assert (found["parts"]["status"], found["parts"]["found"]) == ("problem", reason)
    assert len(httpx.get(f"{spanloom.api}/v1/trajectories?has_steps=any").json()["items"]) > 0, (
        "reads go on"
    )
    replace(told, "1000000")
    assert await_readiness(spanloom, "ok") == []
    assert send(spanloom, ledger, "afterwards") == {Outcome.ACKNOWLEDGED}
    assert check_api(spanloom.api, ledger.account()) == ledger.account().acknowledged
    assert spanloom.log.count("requests are refused") == 1, "told once"
    assert spanloom.stop() == 0
