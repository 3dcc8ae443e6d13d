"""Harbor itself validates the ATIF trajectories that Spanloom writes.

``SPANLOOM_HARBOR`` is the Python, 3.12 or newer, of an environment that has ``harbor``.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.conversions import captured_runs, in_lines

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom

PYTHON = os.environ.get("SPANLOOM_HARBOR", "")
VALIDATE = """
import json, sys
from harbor.utils.trajectory_validator import TrajectoryValidator
found = {}
with open(sys.argv[1]) as file:
    for line in file:
        validator = TrajectoryValidator()
        trajectory = json.loads(line)
        if not validator.validate(trajectory):
            found[trajectory["trajectory_id"]] = validator.get_errors()
print(json.dumps(found))
"""


@pytest.mark.nightly
@pytest.mark.service
def test_real_harbor_takes_what_we_write(run_spanloom: RunSpanloom, tmp_path: Path) -> None:
    if not PYTHON:
        pytest.skip("no Harbor: SPANLOOM_HARBOR is the Python that has harbor")
    runs, written, report = (tmp_path / name for name in ("runs.jsonl", "atif.jsonl", "report"))
    documents = captured_runs(every=True)
    runs.write_bytes(in_lines(documents))
    command = ("convert", "--to", "atif", str(runs), "-o", str(written), "--report", str(report))
    assert run_spanloom(*command).returncode == 1, "runs without an agent are skipped"
    told = orjson.loads(report.read_bytes())
    assert {one["reason"] for one in told["skipped"]} == {"no_agent"}
    assert told["written"] == len(written.read_bytes().splitlines()) > 0
    validated = [PYTHON, "-c", VALIDATE, str(written)]
    done = subprocess.run(validated, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert orjson.loads(done.stdout.splitlines()[-1]) == {}
