"""A new field of a record is declared in one place, and is then available everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

import spanloom

pytestmark = pytest.mark.service

ROOT = Path(__file__).parents[2]
FIELDS = {
    "run": (
        "    resumes: Annotated[",
        """    absences: Annotated[
        int,
        Stored("Absences", "UInt32", "Absences.", lambda run: len(run.trajectory.absences)),
        Queried("absences", "How much has not arrived.", "absences > 0"),
    ] = 0
""",
    ),
    "conversation": (
        "    last_run: Annotated[",
        """    span_count: Annotated[int, Summed("SpanCount")] = 0
""",
    ),
    "hit": (
        "    snippet: Annotated[",
        """    size: Annotated[int, Read("length(Text)")] = 0
""",
    ),
    "change": (
        "    what: Annotated[",
        """    outcome: Annotated[str, From("now.run.outcome")] = ""
""",
    ),
    "score": (
        "    item: Annotated[",
        """    words: Annotated[
        int,
        From(lambda score: len(score.rationale.split())),
        Stored("Words", "UInt32", "Words of why."),
    ] = 0
""",
    ),
    "annotation": (
        "    penalty: Annotated[",
        """    words: Annotated[
        int,
        From(lambda annotation: len(annotation.mark.rationale.split())),
        Stored("Words", "UInt32", "Words of why."),
    ] = 0
""",
    ),
    "queue": (
        '    instructions: Annotated[str, Example("Judge every step.")]\n    items',
        """    has_gold: bool = False
""",
    ),
    "queued": (
        "    failures: Annotated[",
        """    words: Annotated[
        int, From(lambda item: len(item.trace_id)), Stored("Words", "UInt32", "Letters.")
    ] = 0
""",
    ),
}
"""For each record: the line before which its new field is inserted, and the declaration."""
FILES = {"queued": "queue"}


def test_a_field_that_is_declared_is_seen_everywhere(tmp_path: Path) -> None:
    package = Path(spanloom.__file__).parent
    copy = copytree(package, tmp_path / "spanloom", ignore=ignore_patterns("__pycache__"))
    for name, (place, field) in FIELDS.items():
        record = copy / "core" / "records" / f"{FILES.get(name, name)}.py"
        before = record.read_text("utf-8")
        assert before.count(place) == 1
        record.write_text(before.replace(place, field + place), "utf-8")
    seen = _seen(tmp_path)
    assert isinstance(seen, dict)
    elsewhere = seen.pop("elsewhere")
    assert seen == {
        "added": [
            "trajectories.Absences",
            "trajectory_list.Absences",
            "scores.Words",
            "annotations.Words",
            "annotation_queue_items.Words",
        ],
        "view": ["UInt32"],
        "views": ["v_scores", "v_annotations"],
        "sql": [[[4]], [[4]], [[32]]],
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
    assert elsewhere == {
        "conversation": _everywhere("span_count", 7, csv=True, completed=["span_count"]),
        "hit": _everywhere("size", 8, csv=True, completed=["size"]),
        "change": _everywhere("outcome", "ok", "string", "string"),
        "score": _everywhere("words", 4, csv=True),
        "annotation": _everywhere("words", 4, csv=True),
        "queue": _everywhere("has_gold", False, "boolean", "boolean"),
        "queued": _everywhere("words", 32),
    }


def _everywhere(
    name: str, value: object, openapi: str = "integer", page: str = "number", **more: object
) -> dict[str, object]:
    """Return how a field is expected to appear in answers, client, OpenAPI and page."""
    seen = {"answer": value, "client": value, "openapi": openapi, "page": f"{name}: {page};"}
    return {**seen, **more}


def _seen(tmp_path: Path) -> object:
    """Run ``new_field_seen`` over the copy of the package, and return the fields that it finds."""
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
