"""A trace whose build never ends is shown as failed, and all other traces are built."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.conftest import START_S
from tests.support.examples import some_every_day
from tests.support.otlp_requests import message_of, wire_span

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

ENDLESS = ["beef" + f"{n:028x}" for n in range(3)]
BEFORE, AFTER = ([f"{digit}{n:031x}" for n in range(10)] for digit in ("1", "f"))
"""Traces that are sent before and after the endless ones."""
BESIDE = [f"{digits}{n:030x}" for digits in ("b0", "bf") for n in range(5)]
"""Traces that are sent together with the endless ones, and are built before and after them."""
AGENT = {"gen_ai.operation.name": "invoke_agent"}
LEAST_S = 0.5
RUN_WITH_ENDLESS_BUILDS = f"""
from functools import partial
from spanloom.extractor import drafts
from spanloom.extractor.watch import Watch
from spanloom.process import extracting

extract = drafts.extract

def never_return(key, *arguments):
    while key.trace_id.startswith("beef"):
        try:
            len(key)
        except Exception:
            pass
    return extract(key, *arguments)

drafts.extract = never_return
extracting.Watch = partial(Watch, {LEAST_S})
from spanloom.__main__ import main
main()
"""
LONG_S = 30.0
"""Seconds in which neighbours are built on a busy machine; without a limit they never are."""


def send(spanloom: RunningSpanloom, trace_ids: list[str]) -> None:
    body = message_of([wire_span(t, n, n - 1, attributes=AGENT) for t in trace_ids for n in (1, 2)])
    url, kind = f"{spanloom.addresses['otlp_http']}/v1/traces", "application/x-protobuf"
    answer = httpx.post(url, content=body.SerializeToString(), headers={"content-type": kind})
    assert answer.status_code == 200


def await_status(spanloom: RunningSpanloom, status: str, trace_ids: list[str]) -> None:
    """Wait until exactly these runs are listed with a status."""
    until = time.monotonic() + LONG_S
    found: set[str] = set()
    while time.monotonic() < until and found != set(trace_ids):
        time.sleep(0.1)
        url = f"{spanloom.api}/v1/trajectories?status={status}&limit=100"
        found = {item["trace_id"] for item in httpx.get(url, timeout=START_S).json()["items"]}
    assert found == set(trace_ids)


@pytest.mark.parametrize("workers", some_every_day([2, 0]))
def test_traces_whose_builds_never_end_do_not_stop_their_neighbours(
    start_spanloom: StartSpanloom, tmp_path: Path, workers: int
) -> None:
    data_dir, option = tmp_path / "data", f"--extract-workers={workers}"
    entry = ("-c", RUN_WITH_ENDLESS_BUILDS)
    spanloom = start_spanloom("serve", option, data_dir=data_dir, entry=entry, fresh=True)
    send(spanloom, BEFORE)
    send(spanloom, [*BESIDE[:5], *ENDLESS, *BESIDE[5:]])
    await_status(spanloom, "settled", [*BEFORE, *BESIDE])
    await_status(spanloom, "failed", ENDLESS)
    for trace_id in ENDLESS:
        check_failure(spanloom, trace_id)
    send(spanloom, AFTER)
    await_status(spanloom, "settled", [*BEFORE, *BESIDE, *AFTER])
    assert httpx.get(f"{spanloom.api}/readyz").status_code == 200
    assert spanloom.log.count("in never_return") >= len(ENDLESS), "the log shows where it looped"
    assert spanloom.stop() == 0
    mended = start_spanloom("serve", option, data_dir=data_dir)
    await_status(mended, "settled", [*BEFORE, *BESIDE, *AFTER, *ENDLESS])


def check_failure(spanloom: RunningSpanloom, trace_id: str) -> None:
    found = httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}").json()["extraction"]
    assert found["span_count"] == 2
    [warning] = found["warnings"]
    assert "building it takes more CPU time than a trace is given" in warning
