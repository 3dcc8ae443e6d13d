"""A new format is one file and one entry of the registry, and is then available everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

import spanloom
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of

pytestmark = pytest.mark.service

ROOT = Path(__file__).parents[2]
PLACE = "\n)\n\n\ndef formats_of("
FILES = {
    "core/formats/mirror.py": """
import orjson
from spanloom.core.formats.readers import EachAlone

def encode(stored, _losses):
    return orjson.dumps({"mirror": orjson.loads(stored.document)})

READER = EachAlone(
    lambda value: isinstance(value, dict) and "mirror" in value,
    lambda value, _reading: [value["mirror"]],
)
""",
    "annotation/tally.py": """
def write(_documents, entries, _fates):
    yield {"entries": sum(1 for _ in entries)}
""",
    "api/rows/tsv.py": """
from spanloom.api.rows.forms import Csv

class Tsv(Csv):
    media_type = "text/tab-separated-values"
""",
}
ENTRIES = """
    *document_with_file(
        "mirror",
        "A document in a mirror.",
        "spanloom.core.formats.mirror:encode",
        lines="A mirror a line.",
        reader="spanloom.core.formats.mirror:READER",
    ),
    annotations_as("tally", "How many entries there are.", "spanloom.annotation.tally:write"),
    rows_as("tsv", "text/tab-separated-values", "Tabs.", "spanloom.api.rows.tsv:Tsv"),"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The formats that a copy of the package with three additional formats offers."""
    folder = tmp_path_factory.mktemp("package")
    package = Path(spanloom.__file__).parent
    copy = copytree(package, folder / "spanloom", ignore=ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        (copy / name).write_text(text, "utf-8")
    registry = copy / "core" / "formats" / "registry.py"
    before = registry.read_text("utf-8")
    assert before.count(PLACE) == 1
    registry.write_text(before.replace(PLACE, ENTRIES + PLACE), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.new_formats_seen", str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))},
        cwd=folder,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_api_offers_it(seen: dict[str, Any]) -> None:
    assert seen["openapi"] == [*formats_of(Of.RUN, Via.QUERY), "mirror"]
    assert seen["openapi description"].endswith("; `mirror`: A document in a mirror.")
    assert seen["openapi lines"] == ["jsonl", "sft", "dpo", "invariant", "snorkel", "tally"]
    assert "text/tab-separated-values" in seen["openapi rows"]
    assert "`text/tab-separated-values`: tabs; `app" in seen["openapi header"]


def test_the_shell_offers_it(seen: dict[str, Any]) -> None:
    assert seen["export"] == [*formats_of(Of.RUNS, Via.SHELL), "mirror"]
    assert seen["annotations export"][-2:] == ["potato", "tally"]


def test_the_documentation_has_it(seen: dict[str, Any]) -> None:
    assert seen["documentation"] == ["mirror", "mirror", "tsv", "tally"]


def test_it_is_written_and_read(seen: dict[str, Any]) -> None:
    assert seen["one run"] == seen["file"] == seen["written"]
    assert seen["annotations"] == [{"entries": 0}]
    assert seen["rows"].startswith("text/tab-separated-values")
    assert seen["read"] == [seen["written"]]
