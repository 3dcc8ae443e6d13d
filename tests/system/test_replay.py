"""``spanloom replay`` of a store: killed in between, and continued by a running service."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
from tests.support import programs
from tests.support.agents import await_trajectory
from tests.support.otlp_requests import message_of, wire_span

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

QUICK = ("serve", "--root-quiet-s=0.2")
TRACES = [f"{n:032x}" for n in range(1, 9)]
CHANGED = """
import os, sys
from spanloom.core import extract
from spanloom.extractor import replay
extract.EXTRACTOR_VERSION, replay.MAX_TRACES, pieces = "next", 1, int(sys.argv.pop(1))
go_on = replay.Replayer.go_on
def count(self, of):
    global pieces
    pieces -= 1
    return go_on(self, of) if pieces else os.kill(os.getpid(), 9)
replay.Replayer.go_on = count
from spanloom.__main__ import main
main()
"""
"""Runs Spanloom with another extractor version, and kills it at the start of the n-th piece."""


def send(spanloom: RunningSpanloom, traces: list[str]) -> None:
    message = message_of([wire_span(trace_id, 1) for trace_id in traces])
    headers = {"Content-Type": "application/x-protobuf"}
    url = f"{spanloom.addresses['otlp_http']}/v1/traces"
    assert httpx.post(url, content=message.SerializeToString(), headers=headers).is_success


def versions(spanloom: RunningSpanloom) -> set[tuple[int, str]]:
    documents = [await_trajectory(spanloom.api, trace_id, 1) for trace_id in TRACES]
    told = [document["extraction"] for document in documents]
    return {(extraction["version"], extraction["extractor_version"]) for extraction in told}


def replay(*arguments: str, killed_at: int = 10**9, changed: bool = True) -> tuple[int, str]:
    program = ["-c", CHANGED, str(killed_at)] if changed else ["-m", "spanloom"]
    ended = programs.run(*program, "replay", *arguments)
    return ended.returncode, ended.stdout + ended.stderr


def test_history_is_replayed_over_a_kill_and_back_by_a_running_service(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    first = start_spanloom(*QUICK)
    send(first, TRACES)
    [(_, shipped)] = versions(first)
    data = f"--data-dir={first.addresses['data_dir']}"
    assert first.stop() == 0

    assert replay(data, killed_at=4)[0] == -9
    assert replay(data) == (0, "8 traces replayed: 8 changed, 0 failed\n")

    second = start_spanloom(*QUICK)
    assert versions(second) == {(2, "next")}
    asked = ("--outdated", f"--api-url={second.api}")
    send(second, ["ab" * 16])  # new spans are extracted during the replay
    assert replay(data, *asked, changed=False)[1].startswith("8 traces replayed: 8 changed")
    assert versions(second) == {(3, shipped)}
    assert await_trajectory(second.api, "ab" * 16, 1)["extraction"]["version"] == 1
    assert replay(data, *asked, changed=False)[1].startswith("0 traces replayed")

    nowhere = replay(f"--data-dir={tmp_path / 'none'}", changed=False)
    assert nowhere[0] == 1
    assert nowhere[1].startswith("spanloom: there is no store in ")


def test_a_replay_asked_of_a_service_goes_on_after_its_restart(
    start_spanloom: StartSpanloom,
) -> None:
    first = start_spanloom(*QUICK)
    send(first, TRACES)
    versions(first)
    asked = httpx.post(f"{first.api}/v1/replays").json()
    first.process.kill()
    first.process.wait()
    second = start_spanloom(*QUICK)
    until = time.monotonic() + 30
    while not (told := httpx.get(f"{second.api}/v1/replays/{asked['id']}").json())["is_finished"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert (told["done"], told["written"], told["failed"]) == (8, 0, 0)
