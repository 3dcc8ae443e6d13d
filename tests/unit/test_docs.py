"""The documentation's tables are current, and its links lead to existing pages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from docs.frameworks import every_framework
from tests.support import programs
from tests.support.ground_truth import all_captures
from tests.support.order import EVERY_CHANGE, LATER

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for folder in (
        ".",
        "docs",
        "docs/adr",
        "proto",
        "benchmarks",
        "tests/fixtures",
        "tests/support",
    )
    for page in (ROOT / folder).glob("*.md")
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.service
def test_generated_tables_are_current() -> None:
    """Tables of captured runs are left to ``.ci/run``, because they need all captures extracted."""
    check = programs.run("docs/generate.py", "--check", "--declared")
    assert check.returncode == 0, check.stderr


def test_the_page_of_captures_says_that_all_are_right() -> None:
    page = (ROOT / "docs/captures.md").read_text("utf-8")
    (cells,) = re.findall(r"^\| all \| (.+) \|$", page, re.MULTILINE)
    runs, *right = cells.split(" | ")
    assert int(runs) == len(all_captures())
    for cell in right:
        number, _, of = cell.partition(" of ")
        assert number == (of or runs)


def test_every_framework_with_captures_is_in_the_table_of_dialects() -> None:
    folders = [framework.folder for framework in every_framework()]
    assert len(folders) == len(set(folders))
    assert {capture.dialect for capture in all_captures()} <= set(folders)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert not anchor or anchor in _anchors(file), target


NAMED = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|js)|(?:[\w.-]+/)+)`")
"""Matches a module or a folder as the page about the architecture names it."""
PACKAGE = ROOT / "services/spanloom"


def test_the_architecture_names_files_that_there_are() -> None:
    named = NAMED.findall((ROOT / "docs/architecture.md").read_text("utf-8"))
    assert len(named) > 100
    there = [f"/{path.relative_to(ROOT)}" for path in PACKAGE.rglob("*")]
    for path in named:
        end = f"/{path.removesuffix('/')}"
        assert (ROOT / path).exists() or any(one.endswith(end) for one in there), path


def test_every_decision_is_listed() -> None:
    listed = (ROOT / "docs/adr/README.md").read_text("utf-8")
    decisions = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
    assert decisions
    assert len({page.name[:4] for page in decisions}) == len(decisions), "one number, one decision"
    for page in decisions:
        assert re.match(r"\d{3}-", page.name)
        assert f"({page.name})" in listed
        text = page.read_text("utf-8")
        for part in ("Context", "Decision", "Consequences", "Alternatives"):
            assert f"**{part}.**" in text, f"{page.name} lacks its {part.lower()}"


def test_readme_has_two_lines_to_start_with() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = [line for line in readme.splitlines() if line.startswith("python3 -m venv ")]
    assert [line.split()[-2:] for line in lines] == [
        [".venv/bin/spanloom", "demo"],
        [".venv/bin/pytest", "--numprocesses=3"],
    ]


def test_line_two_and_the_later_step_run_every_folder_of_tests() -> None:
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    paths = configured["tool"]["pytest"]["ini_options"]["testpaths"]
    assert paths == [f"tests/{name}" for name in EVERY_CHANGE]
    assert f"  {' '.join(f'tests/{name}' for name in LATER)} |" in (ROOT / ".ci/run").read_text()
    found = {path.relative_to(ROOT).parts[1] for path in (ROOT / "tests").rglob("test_*.py")}
    assert found == {*EVERY_CHANGE, *LATER}


def _anchors(page: Path) -> set[str]:
    headings = HEADING.findall(page.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}
