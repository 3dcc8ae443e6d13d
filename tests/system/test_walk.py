"""A new user follows the README and ``docs/start.md`` with an agent that has a failing tool."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from tests.support.reader_at_work import Reader
from tests.support.recipes import FOLDER, PLACES
from tests.support.scripted_server import scripted_server
from tests.support.written_examples import ROOT, all_examples

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StartSpanloom

AGENT = FOLDER / "walk" / "agent.py"
PYTHON = PLACES / "main" / "bin" / "python"


@pytest.mark.nightly
def test_who_follows_the_readme_finds_the_failing_tool_and_reads_the_third_prompt(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    if not PYTHON.exists():
        pytest.skip("needs main: python -m tests.recipes.install")
    started = start_spanloom("serve", "--root-quiet-s=0.5")
    started.wait_until_ready()
    reader = Reader(tmp_path, started.addresses, tmp_path / "data")

    program = tmp_path / "agent.py"
    program.write_text(f"{code_of_the_page()}\n{AGENT.read_text('utf-8')}", "utf-8")
    with scripted_server() as models:
        model = f"export OPENAI_BASE_URL={models}/v1 OPENAI_API_KEY=none PYTHONPATH="
        run = shlex.join([str(PYTHON), str(program)])
        reader.run_in_shell("\n".join([*exports_of_the_page(), model, run]))

    assert "planner ! recovered" in reader.until(line_of_the_page("spanloom list"), "settled")
    tree = reader.type_line(line_of_the_page("spanloom show latest   "))
    assert "■ weather" in tree
    assert "✗ ConnectionError: the weather service does not answer" in tree
    prompt = reader.type_line(line_of_the_page("spanloom show latest model3")).partition("output")[
        0
    ]
    assert "Failed: the weather service does not answer" in prompt
    assert "tool weather\n  sunny, 7 degrees" in prompt


def code_of_the_page() -> str:
    """Return the Python code that ``docs/start.md`` asks its readers to write."""
    (code,) = (
        e.text for e in all_examples() if (e.page, e.language) == ("docs/start.md", "python")
    )
    return code


def exports_of_the_page() -> list[str]:
    """Return the lines of ``docs/start.md`` that export variables; the packages are installed."""
    return [line for line in _lines() if line.startswith("export OTEL_") and "#" not in line]


def line_of_the_page(begin: str) -> str:
    """Return the command of ``docs/start.md`` that begins with ``begin``, as a table."""
    (line,) = (
        line for line in _lines() if line.startswith(begin) and "--" not in line.split("#")[0]
    )
    return f"{line.split('#')[0]} --output table"


def _lines() -> list[str]:
    return (ROOT / "docs/start.md").read_text("utf-8").splitlines()
