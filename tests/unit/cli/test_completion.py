"""Shell completion of commands, closed sets of values, and names from the newest runs."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Self

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from spanloom import client as client_room
from spanloom.api.runs.examples import LIST
from spanloom.cli.completion import PROGRAM, SHELLS, VARIABLE, completion_command
from spanloom.cli.running import COMMANDS, spanloom
from spanloom.client import Run, UnreachableError
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ITEM: dict[str, Any] = LIST["content"]["application/json"]["example"]["items"][0]
RUNS = [
    Run.model_validate({**ITEM, "project": project, "models": models})
    for project, models in (("travel", ["gpt-4o"]), ("tests", ["qwen-max", "gpt-4o"]), ("\x1b", []))
]


class Asked:
    """A stand-in for ``Client`` that records its arguments and those of its requests."""

    made: list[dict[str, Any]]
    is_there = True

    def __init__(self, url: str | None, **kwargs: Any) -> None:
        self.made.append({"url": url, **kwargs})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def trajectories(self, **kwargs: Any) -> Iterator[Run]:
        self.made[-1].update(kwargs)
        if not self.is_there:
            raise UnreachableError("nothing answers")
        return iter(RUNS)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> type[Asked]:
    class Mine(Asked):
        made: list[dict[str, Any]] = []  # noqa: RUF012  # one list per test

    monkeypatch.setattr(client_room, "Client", Mine)
    return Mine


def offered(*words: str) -> list[str]:
    *before, incomplete = words
    shell = ShellComplete(spanloom, {}, PROGRAM, VARIABLE)
    return [str(item.value) for item in shell.get_completions(before, incomplete)]


def test_commands_and_options() -> None:
    assert offered("") == list(COMMANDS)
    assert offered("exp") == ["explain", "export", "experiments"]
    assert {"--format", "--since", "--project"} <= set(offered("export", "--"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("export", "--format", ""), list(formats_of(Of.RUNS, Via.SHELL))),
        (("list", "--status", "s"), ["settled"]),
        (("serve", "--log-format", ""), ["auto", "json", "console"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
    ],
)
def test_closed_sets(words: tuple[str, ...], expected: list[str], asked: type[Asked]) -> None:
    assert sorted(offered(*words)) == sorted(expected)
    assert asked.made == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("list", "--project", ""), ["travel", "tests"]),
        (("show", "latest", "--project", "tr"), ["travel"]),
        (("export", "--model", ""), ["gpt-4o", "qwen-max"]),
        (("show", ""), ["latest", *[ITEM["trace_id"]] * 3]),
        (("diff", "latest", ITEM["trace_id"][:4].upper()), [ITEM["trace_id"]] * 3),
    ],
)
def test_names_are_those_of_the_newest_runs(words: tuple[str, ...], expected: list[str]) -> None:
    assert offered(*words) == expected


def test_the_service_that_the_line_names_is_asked_once_and_briefly(asked: type[Asked]) -> None:
    offered("list", "--api-url", "http://there:1", "--project", "travel", "--model", "")
    (made,) = asked.made
    assert (made["url"], made["project"], made["tries"]) == ("http://there:1", "travel", 1)
    assert made["timeout_s"] <= 1


def test_a_service_that_does_not_answer_offers_nothing(asked: type[Asked]) -> None:
    asked.is_there = False
    assert offered("list", "--project", "") == []
    assert offered("show", "la") == ["latest"]


@pytest.mark.service
@pytest.mark.parametrize("shell", SHELLS)
def test_the_lines_for_a_shell(shell: str) -> None:
    ran = CliRunner().invoke(spanloom, ["completion", shell])
    assert ran.exit_code == 0
    assert f"{VARIABLE}={shell}_complete" in ran.stdout
    assert completion_command.name in COMMANDS


@pytest.mark.service
def test_bash_completes_by_them(tmp_path: Path) -> None:
    """As in bash, the printed lines are read, then their function completes a command line."""
    program = tmp_path / PROGRAM
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spanloom "$@"\n')
    program.chmod(0o755)
    lines = CliRunner().invoke(spanloom, ["completion", "bash"]).stdout
    typed = "COMP_WORDS=(spanloom export --format p) COMP_CWORD=3\n_spanloom_completion spanloom\n"
    ran = subprocess.run(
        ["bash", "-c", f'{lines}{typed}echo "${{COMPREPLY[@]}}"'],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert ran.stdout.split() == ["potato", "parquet"]
