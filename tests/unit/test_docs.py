"""The documentation: its tables are current, its links lead somewhere, its commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from docs.frameworks import FRAMEWORKS
from tests.support.ground_truth import all_captures

from spanloom.cli.group import COMMANDS, spanloom

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for folder in (".", "docs", "docs/adr", "proto", "benchmarks", "tests/fixtures")
    for page in (ROOT / folder).glob("*.md")
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def test_generated_tables_are_current() -> None:
    check = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
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
    folders = [framework.folder for framework in FRAMEWORKS]
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


def test_readme_has_two_lines_to_start_with_and_knows_the_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = [line for line in readme.splitlines() if line.startswith("python3 -m venv ")]
    assert [line.split()[-2:] for line in lines] == [
        [".venv/bin/spanloom", "demo"],
        [".venv/bin/pytest", "--numprocesses=3"],
    ]
    for name in re.findall(r"spanloom (\w+)", _code(readme)):
        assert name in COMMANDS


def test_documented_flags_exist() -> None:
    context = click.Context(spanloom)
    commands = [command for name in COMMANDS if (command := spanloom.get_command(context, name))]
    for group in [command for command in commands if isinstance(command, click.Group)]:
        commands.extend(group.commands.values())
    known = {flag for command in commands for p in command.params for flag in p.opts}
    # pip's, of docs/generate.py, not implemented, of pytest, uvx's, pipx's
    others = {"--group", "--check", "--cluster", "--numprocesses", "--from", "--spec"}
    for page in PAGES:
        for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text("utf-8")):
            assert flag in known | others, f"{page.name}: {flag}"


def _anchors(page: Path) -> set[str]:
    headings = HEADING.findall(page.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def _code(markdown: str) -> str:
    return "\n".join(re.findall(r"^```sh\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL))
