"""Every command that only reads prints its golden output."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.answer_text import file_text, shown_json
from tests.support.command_output import run_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.golden_store import GoldenService
    from tests.support.goldens import Goldens

COMMANDS = Path(__file__).parent / "commands.txt"
FOLDER = "commands"
LINES = [line for line in COMMANDS.read_text().splitlines() if line and not line.startswith("#")]
NAMES = [*dict.fromkeys(line.split()[0] for line in LINES)]


@pytest.mark.parametrize("name", NAMES)
def test_output(
    name: str,
    golden_service: GoldenService,
    goldens: Goldens,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [line for line in LINES if line.split()[0] == name]
    texts = [_run(line, golden_service, tmp_path) for line in lines]
    goldens.check(f"{FOLDER}/{name.lstrip('-')}.txt", "\n".join(texts))


def test_no_file_is_stale(goldens: Goldens) -> None:
    goldens.check_folder(FOLDER, (f"{name.lstrip('-')}.txt" for name in NAMES))


def _run(line: str, service: GoldenService, folder: Path) -> str:
    """Return the output of a command, and the files that it wrote."""
    arguments = shlex.split(line.format(**service.runs))
    printed = run_command(arguments, {"SPANLOOM_API_URL": service.api})
    return service.steady("".join([shown_json(printed), *_files(folder)]))


def _files(folder: Path) -> Iterator[str]:
    """Yield the new files below a folder, and remove them."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield f"--- {path.relative_to(folder)}\n{file_text(path)}"
            path.unlink()
