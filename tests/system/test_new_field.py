"""A new field of a record is declared in one place, and is then everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import spanloom

ROOT = Path(__file__).parents[2]
PLACE = "    resumes: Annotated["
FIELD = """    absences: Annotated[
        int,
        Stored("Absences", "UInt32", "Absences.", lambda run: len(run.trajectory.absences)),
        Asked("absences", "How much has not arrived.", "absences > 0"),
    ] = 0
"""


def test_a_field_that_is_declared_is_seen_everywhere(tmp_path: Path) -> None:
    package = Path(spanloom.__file__).parent
    copy = copytree(package, tmp_path / "spanloom", ignore=ignore_patterns("__pycache__"))
    record = copy / "core" / "records" / "run.py"
    before = record.read_text("utf-8")
    assert before.count(PLACE) == 1
    record.write_text(before.replace(PLACE, FIELD + PLACE), "utf-8")
    assert _seen(tmp_path) == {
        "added": ["trajectories.Absences", "trajectory_list.Absences"],
        "view": ["UInt32"],
        "answer": 2,
        "client": 2,
        "openapi": "integer",
        "fields": [{"absences": 2}],
        "csv": ["absences", "2"],
        "where": [1, 0],
        "order": 1,
        "field": ["integer"],
        "shell": ["trace_id,absences"],
        "page": ["absences: number;"],
    }


def _seen(tmp_path: Path) -> object:
    """Run the program over the copy of the package."""
    paths = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.new_field_seen", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)
