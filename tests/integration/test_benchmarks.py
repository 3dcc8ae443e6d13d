"""The benchmarks print all their rows with bars; only the slow test checks measured values."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from benchmarks import exchanging
from benchmarks.__main__ import MEASURES, main
from benchmarks.apart import FRESH
from click.testing import CliRunner
from tests.support.browser import NO_CHROMIUM, chromium
from tests.support.laid_stores import MADE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.service
FRESH.set_forkserver_preload(["tests.support.laid_stores", "spanloom.process.wiring"])

IN_A_BROWSER = {
    "viewer": {
        "the page, 200 spans: first row": "≤ 1,500 ms",
        "the page, 200 spans: a frame": "≤ 16 ms",
        "the page, 200 spans: opening the annotation panel": "≤ 100 ms",
        "the page, 200 spans: judging a step": "≤ 100 ms",
        "the page, 200 spans: memory": "≤ 60 MB",
    },
    "conversation": {
        "a conversation of 500 runs: first row": "≤ 1,500 ms",
        "a conversation of 500 runs, a long one: opened": "≤ 500 ms",
        "a conversation of 500 runs, a long one: a frame": "≤ 16 ms",
        "a conversation of 500 runs, a long one: memory": "≤ 60 MB",
    },
}
"""Measures that need a browser, with their rows and bars."""
AS_A_USER = "build"
"""The fastest measure, which is run as a command, as users do."""
BARS = {
    "ingest": {
        f"ingest, {transport}, {size} KB spans: {what}": bar
        for transport, size in (("gRPC", "1.1"), ("HTTP", "6.6"))
        for what, bar in (("CPU time", "≤ 3"), ("spans/s", "≥ 0.4"))
    },
    "build": {"building a trace of 50 spans": "≤ 2 ms"},
    "extract": {
        "extraction, synthetic runs": "≥ 20,000",
        "extraction, captured runs": "≥ 20,000",
    },
    "workers": {
        f"2 workers, {what}: {figure}": bar
        for what in ("synthetic runs", "captured runs")
        for figure, bar in (("times", "≥ 1.3"), ("share", "≤ 0.5"), ("own Python", "≤ 10 µs"))
    },
    "shared": {
        "2 extractors on one server: times": "≥ 3",
        "2 extractors on one server: spans": "≤ 1.3",
    },
    "online": {"10 online rules": "≤ 0.05"},
    "outside": {"from outside": "≤ 0.85"},
    "freshness": {"freshness": "≤ 3 s", "live at 280 spans/s: first": "≤ 3 s"},
    "live": {"live at 280 spans/s: cores": "≤ 0.3", "idle: cores": "≤ 0.015"},
    "growth": {"growth, a trace of 1,000 spans: CPU time": "≤ 120"},
    "long-run": {
        f"a run of 1,000 spans, default workers: {figure}": bar
        for figure, bar in (("whole", "≤ 12 s"), ("most memory", "≤ 700 MiB"))
    },
    "sweep": {
        "sweep over 1,000 settled traces": "≤ 3",
        "new beginning over 1,000 settled traces": "≤ 3",
    },
    "feed": {
        "idle poll of the change feed, 5,000 kept, one": "≤ 5 ms",
        "idle poll of the change feed, 5,000 kept, several": "≤ 5 ms",
    },
    "search": {
        "texts, stored and merged": "≤ 2.7",
        "texts: bytes of the index": "≤ 0.2",
        "search of an id": "≤ 0.03",
    },
    "language": {
        "a filter, parsed and compiled": "≤ 0.5 ms",
        "two runs of 100 steps compared": "≤ 50 ms",
        "two runs of 200 steps compared": "≤ 1,000 ms",
    },
    "evaluate": {
        f"{name}, a run of {steps} steps": bar
        for name in ("match, strict", "match, unordered", "21 rules", "where")
        for steps, bar in ((30, "≤ 2 ms"), (300, "≤ 2,000 ms"))
    },
    "behaviour": {
        "two sets of 50 runs compared": "≤ 5 CPU-s",
    },
    "questions": {
        "the newest page": "≤ 50 ms",
        "a page far behind": "≤ 50 ms",
        "the oldest page": "≤ 50 ms",
        "a page with three filters": "≤ 50 ms",
        "a page of which nothing is": "≤ 50 ms",
        "a page of runs with a shape": "≤ 50 ms",
        "the costliest of a week": "≤ 120 ms",
        "the costliest of all": "≤ 120 ms",
        "the longest of all": "≤ 120 ms",
        "a shape over all runs": "≤ 0.4",
        "p95 by model of one day": "≤ 0.25",
        "p95 by model of a month": "≤ 0.6",
        "a page of failed tool calls": "≤ 0.4",
        "a day's numbers with a third deleted": "≤ 2",
        "document by id": "≤ 20 ms",
        **{
            f"export of {what}, {form}": "≥ 5,000"
            for what in ("runs", "steps")
            for form in ("application/x-ndjson", "text/csv")
        },
        "exports: growth of peak RSS": "≤ 200 MiB",
    },
    "overview": {
        "overview: the dearest request": "≤ 120 ms",
        "a list with its histogram": "≤ 60 ms",
        "overview: first chart": "≤ 1 s",
    },
    "disk": {
        "disk, merged": "≤ 450",
    },
    "judging": {
        "judging a run of 200 spans: the panel opens": "≤ 100 ms",
        "judging a run of 200 spans: a mark, stored": "≤ 100 ms",
        "judging a run of 200 spans: what all say": "≤ 200 ms",
        "judging a run of 200 spans: of all steps, one": "≤ 100 ms",
        "judging a run of 200 spans: of all steps, five": "≤ 200 ms",
    },
    "exchange": {
        **{f"{start}:": str(bar) for start, bar in exchanging.bars().items()},
        **{
            f"converting 20 runs to {name}: peak RSS": "≤ 1.2"
            for name in ("mlflow", "inspect", "snorkel")
        },
        "import spanloom": "≤ 4",
    },
    **IN_A_BROWSER,
}
"""For each measure, the beginnings of its rows' names, and their bars."""


@pytest.fixture(scope="module", autouse=True)
def _laid(made_store: Path) -> Iterator[None]:
    """Let measures copy a ready empty store, as they do not measure its creation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MADE, str(made_store))
        yield


@pytest.mark.nightly  # three minutes in all; by default only ``AS_A_USER``
@pytest.mark.parametrize("name", [name for name in MEASURES if name != AS_A_USER])
def test_a_quick_measure_prints_its_rows_with_their_bars(name: str, tmp_path: Path) -> None:
    """Benchmarks run in this process to save imports; the measured code has its own process."""
    if name in IN_A_BROWSER and not chromium():
        pytest.skip(NO_CHROMIUM)
    ended = CliRunner().invoke(main, options(name, tmp_path))
    assert ended.exit_code == 0, ended.output
    check(name, tmp_path, ended.stdout)


def test_a_quick_measure_is_started_as_a_user_does(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", *options(AS_A_USER, tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=270, check=False)
    assert ended.returncode == 0, ended.stderr
    check(AS_A_USER, tmp_path, ended.stdout)


def options(name: str, folder: Path) -> list[str]:
    return ["--quick", "--verbose", f"--only={name}", f"--json={folder / 'report.json'}"]


def check(name: str, folder: Path, printed: str) -> None:
    """Assert that a measure has all its rows, in the JSON report and in the printed lines."""
    assert "\x1b" not in printed, "no colours in a pipe"
    rows = json.loads((folder / "report.json").read_text())["rows"]
    assert len(rows) == len(BARS[name])
    for start, bar in BARS[name].items():
        (row,) = [row for row in rows if row["measure"].startswith(start)]
        assert row["bar"] == bar
        least = -1 if name == "live" else 0  # a difference, which noise may turn negative
        assert least < row["value"] < float("inf")
        (line,) = [line for line in printed.splitlines() if line.startswith(start)]
        assert bar in line
    if name == "extract":
        assert "read " in printed, "verbose says where the time goes"


@pytest.mark.slow
def test_questions_to_a_million_steps_cost_what_they_may_beside_rows(tmp_path: Path) -> None:
    """Only ratios within one run are checked, because absolute times depend on the machine."""
    report = tmp_path / "report.json"
    command = ["benchmarks", "--only=questions", f"--json={report}"]
    subprocess.run([sys.executable, "-m", *command], check=True, timeout=1_800)
    ratios = [row for row in json.loads(report.read_text())["rows"] if row["bar"][0] == "≤"]
    of_one_run = [row for row in ratios if not row["unit"]]
    assert len(of_one_run) == 5
    assert [row["measure"] for row in of_one_run if not row["met"]] == []
