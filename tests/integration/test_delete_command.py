"""``spanloom delete`` removes traces from every answer for good, with or without a service."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
from tests.support.otlp_requests import message_of, wire_span

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

GONE, KEPT = "a" * 32, "b" * 32
EAGER = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2")


def send(spanloom: RunningSpanloom, trace_id: str, number: int) -> None:
    span = wire_span(trace_id, number, start_ns=time.time_ns())
    answer = httpx.post(
        f"{spanloom.addresses['otlp_http']}/v1/traces",
        content=message_of([span]).SerializeToString(),
        headers={"Content-Type": "application/x-protobuf"},
    )
    assert answer.status_code == 200


def await_listed(spanloom: RunningSpanloom, *traces: str) -> None:
    until = time.monotonic() + 30
    while (found := listed(spanloom)) != set(traces):
        assert time.monotonic() < until, (found, spanloom.log)
        time.sleep(0.1)


def listed(spanloom: RunningSpanloom) -> set[str]:
    items = httpx.get(f"{spanloom.api}/v1/trajectories?has_steps=any").json()["items"]
    return {item["trace_id"] for item in items}


def test_a_trace_is_deleted_while_the_service_runs_and_stays_deleted(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    spanloom = start_spanloom(*EAGER)
    for trace_id in (GONE, KEPT):
        send(spanloom, trace_id, 1)
    await_listed(spanloom, GONE, KEPT)
    at = f"--api-url={spanloom.api}"
    asked = run_spanloom("delete", f"--trace={GONE}", "--dry-run", "--yes", at)
    assert asked.stdout == "1 trace of 1 span would be deleted\n", asked.stderr
    unsure = run_spanloom("delete", f"--trace={GONE}", at)
    assert (unsure.returncode, "--yes" in unsure.stderr) == (2, True)
    assert listed(spanloom) == {GONE, KEPT}
    done = run_spanloom("delete", f"--trace={GONE}", "--yes", at)
    assert done.stdout.splitlines()[-1] == "1 trace of 1 span deleted", done.stderr
    assert listed(spanloom) == {KEPT}
    assert httpx.get(f"{spanloom.api}/v1/trajectories/{GONE}").status_code == 404
    assert httpx.get(f"{spanloom.api}/v1/trajectories/{GONE}/spans").status_code == 404
    send(spanloom, GONE, 2)  # a late span
    late = "c" * 32
    send(spanloom, late, 1)
    await_listed(spanloom, KEPT, late)
    [recorded] = httpx.get(f"{spanloom.api}/v1/deletions").json()["items"]
    assert (recorded["trace_id"], recorded["traces"]) == (GONE, 1)
    assert spanloom.stop() == 0

    data = f"--data-dir={tmp_path / 'data'}"
    alone = run_spanloom("delete", "--project=default", "--yes", data)
    assert alone.stdout.splitlines()[-1] == "2 traces of 2 spans deleted", alone.stderr
    again = start_spanloom(*EAGER)
    again.wait_until_ready()
    assert listed(again) == set()
    send(again, KEPT, 3)  # a late span
    send(again, "d" * 32, 1)  # a new trace of a deleted project is stored
    await_listed(again, "d" * 32)
    assert again.stop() == 0
