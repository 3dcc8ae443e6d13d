"""The benchmarks as a user starts them; how fast anything is, no test asks."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {
    **{
        f"ingest, {transport}, {size} KB spans: {what}": bar
        for transport, size in (("gRPC", "1.1"), ("HTTP", "6.6"))
        for what, bar in (("CPU time", "≤ 3"), ("spans/s", "≥ 0.4"))
    },
    "building a trace of 50 spans": "≤ 2 ms",
    "extraction, synthetic runs": "≥ 20,000",
    "extraction, captured runs": "≥ 20,000",
    "freshness": "≤ 3 s",
    "live at 280 spans/s: first": "≤ 3 s",
    "live at 280 spans/s: cores": "≤ 0.3",
    "idle: cores": "≤ 0.015",
    "growth, a trace of 1,000 spans: CPU time": "≤ 120",
    "growth, a trace of 1,000 spans: peak RSS": "≤ 1 GiB",
    "sweep over 6,000 settled traces": "≤ 3",
    "new beginning over 6,000 settled traces": "≤ 3",
    "idle poll of the change feed, 5,000 kept, one": "≤ 5 ms",
    "idle poll of the change feed, 5,000 kept, several": "≤ 5 ms",
    "texts, stored and merged": "≤ 2.7",
    "texts: bytes of the index": "≤ 0.2",
    "search of an id": "≤ 0.03",
}


def test_a_quick_run_prints_every_measure_beside_its_bar(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--verbose", f"--json={report}"],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "\x1b" not in ended.stdout, "no colours in a pipe"
    rows = json.loads(report.read_text())["rows"]
    assert len(rows) == len(PARTS)
    for start, bar in PARTS.items():
        (row,) = [row for row in rows if row["measure"].startswith(start)]
        assert row["bar"] == bar
        assert 0 < row["value"] < float("inf")
        (line,) = [line for line in ended.stdout.splitlines() if line.startswith(start)]
        assert bar in line
    assert "read " in ended.stdout, "verbose says where the time goes"
