"""Every run is stored and whole although worker processes are killed while it is sent."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from tests.support.otlp_requests import START_NS, message_of, wire_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from tests.conftest import StartSpanloom

RUNS, SPANS, REQUESTS = 60, 20, 3
"""Runs per request, bound of the span numbers of a run, and number of requests.

A request has enough spans for workers (``pipeline.FEW_SPANS``).
"""
MODEL = {"gen_ai.operation.name": "chat"}
READY_S = 60.0
KILLS_EVERY_S = 0.15


def children(pid: int) -> Sequence[int]:
    """Return the ids of the child processes of a process."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def body_of(request: int) -> bytes:
    """Return the body of a request; the ids of its runs follow from its number."""
    spans: list[Span] = []
    for run in range(RUNS):
        trace_id = f"{request * RUNS + run + 1:032x}"
        start_ns = START_NS + run * 10**9
        spans += [
            wire_span(trace_id, n, min(n - 1, 1), start_ns=start_ns, attributes=MODEL)
            for n in range(1, SPANS)
        ]
    return message_of(spans).SerializeToString()


def test_runs_are_whole_though_workers_are_killed(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom("serve", "--extract-workers=2", "--root-quiet-s=0.3", "--no-search")
    pid, is_over = spanloom.process.pid, threading.Event()
    killed: set[int] = set()

    def kill() -> None:
        while not is_over.wait(KILLS_EVERY_S):
            for worker in children(pid)[:1]:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    killed.add(worker)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with httpx.Client(timeout=30) as client:
            for request in range(REQUESTS):
                headers = {"content-type": "application/x-protobuf"}
                url = f"{spanloom.addresses['otlp_http']}/v1/traces"
                answer = client.post(url, content=body_of(request), headers=headers)
                assert answer.status_code == 200
            await_runs(client, spanloom.api)
    finally:
        is_over.set()
        killer.join()
    assert killed
    left = children(pid)
    assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    await_end(left)


def await_runs(client: httpx.Client, api: str) -> None:
    """Wait until each run is settled with all of its spans."""
    until = time.monotonic() + READY_S
    wanted = {f"{n:032x}" for n in range(1, REQUESTS * RUNS + 1)}
    while True:
        answer = client.get(f"{api}/v1/trajectories", params={"limit": 500, "has_steps": "any"})
        assert answer.status_code == 200, answer.text
        lines = answer.json()["items"]
        whole = {
            line["trace_id"]
            for line in lines
            if (line["status"], line["span_count"]) == ("settled", SPANS - 1)
        }
        if whole == wanted:
            return
        assert time.monotonic() < until, f"{len(whole)} of {len(wanted)} are whole"
        time.sleep(0.1)


def await_end(pids: Sequence[int]) -> None:
    """Wait until all these processes have ended; fail if one has not after ``READY_S`` seconds."""
    until = time.monotonic() + READY_S
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < until
        time.sleep(0.05)
