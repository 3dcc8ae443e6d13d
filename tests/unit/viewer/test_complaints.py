"""docs/viewer.md names a test for each complaint, and every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[2]
TITLE = "## Complaints and the tests that answer them\n"
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def _rows() -> list[list[str]]:
    """Return the cells of each row of the table of complaints, without its header."""
    page = (TESTS.parent / "docs/viewer.md").read_text("utf-8")
    section = page.split(TITLE)[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_complaint_has_an_answer_and_a_test() -> None:
    rows = _rows()
    assert len(rows) > 20
    assert [row for row in rows if len(row) != 3 or not all(row) or not NAMED.search(row[2])] == []


def test_every_test_that_is_named_is_there() -> None:
    named = [found for row in _rows() for found in NAMED.findall(row[2])]
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (TESTS / file).is_file()
        or not re.search(rf"^def {name}\(", (TESTS / file).read_text("utf-8"), re.MULTILINE)
    ]
    assert missing == []
