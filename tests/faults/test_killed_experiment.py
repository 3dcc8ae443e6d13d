"""An experiment interrupted by a kill is completed: no score is repeated, none is missing."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.support.page_runs import send_many, start_quick, wait_for_count

if TYPE_CHECKING:
    from tests.conftest import StartSpanloom

RUNS, REPEATS = 20, 40
SOON_S = 240.0
"""Seconds to wait: far more than an idle machine needs."""
ASKED = {
    "runs": {},
    "evaluators": [
        {"name": "limits", "kind": "rules", "rules": {"max_steps": 3, "max_tool_calls": 2}}
    ],
    "repeats": REPEATS,
}


def wait_for_done(api: str, least: int) -> dict[str, Any]:
    """Wait until the experiment has judged at least ``least`` runs; return it."""
    ends = time.monotonic() + SOON_S
    while True:
        told: dict[str, Any] = httpx.get(f"{api}/v1/experiments", timeout=30).json()["items"][0]
        if told["done"] >= least:
            return told
        assert time.monotonic() < ends, told
        time.sleep(0.05)


@pytest.mark.nightly
def test_a_killed_experiment_goes_on_behind_its_scores(start_spanloom: StartSpanloom) -> None:
    service = start_quick(start_spanloom)
    send_many(service, RUNS)
    wait_for_count(service.api, RUNS, "status = settled")
    answer = httpx.put(f"{service.api}/v1/experiments/x", json=ASKED, timeout=30)
    assert answer.json()["total"] == RUNS * REPEATS
    for least in (1, 200):
        told = wait_for_done(service.api, least)
        assert told["status"] == "running"
        assert service.stop(signal.SIGKILL) == -signal.SIGKILL
        service = start_quick(start_spanloom)
        service.wait_until_ready()
    told = wait_for_done(service.api, RUNS * REPEATS)
    rows = httpx.get(
        f"{service.api}/v1/experiments/x/results",
        headers={"accept": "application/x-ndjson"},
        timeout=60,
    ).text.splitlines()
    assert len(rows) - 1 == len({*rows}) - 1 == told["total"] * 2
    assert told["errors"] == 0
    stored = httpx.get(
        f"{service.api}/v1/scores", headers={"accept": "application/x-ndjson"}, timeout=60
    ).text.splitlines()
    assert len(stored) - 1 == told["total"] * 2
    ends = time.monotonic() + SOON_S
    while httpx.get(f"{service.api}/v1/experiments/x").json()["status"] != "done":
        assert time.monotonic() < ends
        time.sleep(0.1)
