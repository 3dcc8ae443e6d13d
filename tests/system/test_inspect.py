"""Inspect itself reads the logs that Spanloom writes, and Spanloom Inspect's ``.eval`` file.

``SPANLOOM_INSPECT`` is the Python of an environment in which ``inspect-ai`` is installed.
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

PYTHON = os.environ.get("SPANLOOM_INSPECT", "")
BOTH_WAYS = """
import sys
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score
log = read_eval_log(sys.argv[1])
assert log.version == 2 and all(sample.events for sample in log.samples)
assert log.results.total_samples == len(log.samples), log.results
graded = {"graded": Score(value="C", answer="Oslo"), "unscored": Score.unscored()}
log.samples[0].scores = graded
write_eval_log(log, sys.argv[2])
"""


@pytest.mark.nightly
@pytest.mark.service
def test_real_inspect_reads_what_we_write_and_we_what_it_writes(
    run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    if not PYTHON:
        pytest.skip("no Inspect: SPANLOOM_INSPECT is the Python that has inspect-ai")
    runs, log, packed = (tmp_path / name for name in ("runs.jsonl", "log.json", "log.eval"))
    documents = captured_runs(every=False)
    runs.write_bytes(in_lines(documents))
    assert run_spanloom("convert", "--to", "inspect", str(runs), "-o", str(log)).returncode == 0
    command = [PYTHON, "-c", BOTH_WAYS, str(log), str(packed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    again = run_spanloom("convert", "--to", "canonical", str(packed))
    assert again.returncode == 0, again.stderr
    read = [orjson.loads(line) for line in again.stdout.splitlines()]
    first = run_spanloom("convert", "--to", "canonical", str(log))
    expected = {d["id"]: d for d in map(orjson.loads, first.stdout.splitlines())}
    assert {d["id"] for d in read} == {d["id"] for d in documents} == expected.keys()
    for document in read:
        kept = expected[document["id"]]
        assert document["root_step"]["id"] == kept["root_step"]["id"]
        assert document["extraction"]["step_counts"] == kept["extraction"]["step_counts"]
    traces = run_spanloom("convert", "--to", "mlflow", str(packed))
    infos = [orjson.loads(line)["info"] for line in traces.stdout.splitlines()]
    found = [one for info in infos for one in info.get("assessments", ())]
    values = {one["assessment_name"]: one["feedback"]["value"] for one in found}
    assert values == {"graded": 1.0, "unscored": None}
