"""``spanloom eval run`` judges a service's runs, sends scores, and reports if interrupted."""

from __future__ import annotations

import json
import signal
import socket
import time
from typing import TYPE_CHECKING

import httpx
from tests.support import programs
from tests.support.drafted import planner

from spanloom.evaluation.files.report import Report

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

RUNS = 60
FILE = """\
name: trips
runs: {limit: 1000}
evaluators:
  - {name: limits, kind: rules, rules: {max_tool_calls: 90, forbidden_tools: ["delete_*"]}}
gates:
  - {score: limits/max_tool_calls, min: 1}
min_items: 60
"""


def fill(spanloom: RunningSpanloom, run_spanloom: RunSpanloom, path: Path) -> None:
    """Import ``RUNS`` copies of a run with different ids."""
    documents = [{**planner(), "id": f"{number:032x}"} for number in range(1, RUNS + 1)]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in documents))
    otlp = f"--otlp-url={spanloom.addresses['otlp_http']}"
    done = run_spanloom("import", str(path), f"--api-url={spanloom.api}", otlp)
    assert done.returncode == 0, done.stderr
    until = time.monotonic() + 60
    while len(listed(spanloom)) < RUNS:
        assert time.monotonic() < until, spanloom.log
        time.sleep(0.2)


def listed(spanloom: RunningSpanloom) -> list[object]:
    found: list[object] = httpx.get(f"{spanloom.api}/v1/trajectories?limit=1000").json()["items"]
    return found


def test_stored_runs_are_judged_and_an_interrupt_leaves_what_was_judged(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    spanloom = start_spanloom()
    fill(spanloom, run_spanloom, tmp_path / "runs.jsonl")
    file, report = tmp_path / "eval.yaml", tmp_path / "report.json"
    file.write_text(FILE)
    arguments = ["eval", "run", str(file), f"--api-url={spanloom.api}", "--json", str(report)]

    done = run_spanloom(*arguments, "--gate", "--send")
    assert done.returncode == 0, done.stderr
    first = report.read_bytes()
    told = Report.model_validate_json(first)
    assert (told.runs, told.items, told.summary["limits/forbidden_tools"].passed) == (RUNS,) * 3
    scores = httpx.get(f"{spanloom.api}/v1/scores?limit=1000").json()["items"]
    assert len(scores) == 2 * RUNS
    assert {score["experiment"] for score in scores} == {"trips"}

    again = run_spanloom(*arguments, "--gate", "--send")
    assert (again.returncode, report.read_bytes()) == (0, first)
    assert len(httpx.get(f"{spanloom.api}/v1/scores?limit=1000").json()["items"]) == 2 * RUNS

    report.unlink()
    assert interrupted_while_it_reads(arguments, tmp_path / "stderr") == 130
    partial = Report.model_validate_json(report.read_bytes())
    assert (partial.exit_code, partial.status, partial.runs) == (130, "undecided", 0)

    assert spanloom.stop() == 0
    gone = run_spanloom(*arguments)
    assert (gone.returncode, json.loads(report.read_bytes())["exit_code"]) == (3, 3)


def interrupted_while_it_reads(arguments: list[str], stderr: Path) -> int:
    """Interrupt the command while it waits for a silent service; return its exit status."""
    with socket.create_server(("127.0.0.1", 0)) as silent, stderr.open("w") as sink:
        silent.settimeout(60)
        at = f"--api-url=http://127.0.0.1:{silent.getsockname()[1]}"
        command = ["-m", "spanloom", *arguments, at]
        process = programs.start(command, programs.clean_environment(), sink.fileno())
        try:
            with silent.accept()[0] as connection:
                connection.recv(1)
                process.send_signal(signal.SIGINT)
                return process.wait(60)
        finally:
            process.kill()
            if process.stdout is not None:
                process.stdout.close()
