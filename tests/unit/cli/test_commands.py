"""The command line: help with examples, a flag for every setting, one line for a mistake."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click
import pytest
from tests.support.help_examples import all_help_examples, command_of
from tests.support.reader_at_work import parted

from spanloom import __main__ as entry
from spanloom import __version__
from spanloom.cli.options import SettingsCommand, SettingsOption
from spanloom.cli.running import COMMANDS, spanloom
from spanloom.config.section import flag_of
from spanloom.config.settings import Settings
from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def _run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["spanloom", *arguments])
        with pytest.raises(SystemExit) as exit_:
            entry.main()
        printed = capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return exit_.value.code, printed.out, printed.err

    return _run


def test_without_arguments_it_shows_what_there_is(run: Run) -> None:
    status, out, _ = run()
    assert status == 0
    assert all(f"  {name} " in out for name in COMMANDS)


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"spanloom {__version__}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_examples(name: str, run: Run) -> None:
    status, out, _ = run(name, "--help")
    assert status == 0
    assert "Examples:" in out
    assert f"spanloom {name}" in out
    assert command_of(name).name == name


@pytest.mark.parametrize("line", list(all_help_examples()))
def test_an_example_of_a_help_text_is_understood(
    line: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arguments, options and settings of the example are valid; the command itself does not run."""
    monkeypatch.setattr(click.Command, "invoke", lambda *_: None)
    program, *words = shlex.split(parted(line)[0])
    assert program == "spanloom"
    assert run(*words) == (0, "", "")


def test_serve_has_a_flag_for_every_option() -> None:
    flags = [p for p in command_of("serve").params if isinstance(p, SettingsOption)]
    assert sorted(flag_of(flag.name or "") for flag in flags) == sorted(
        map(flag_of, Settings.model_fields)
    )


@pytest.mark.parametrize("name", ["collect", "extract", "api", "migrate", "demo"])
def test_parts_take_only_their_own_options(name: str) -> None:
    command = command_of(name)
    assert isinstance(command, SettingsCommand)
    names = {param.name for param in command.params}
    assert "log_level" in names
    assert ("poll_s" in names) == (name == "extract")
    assert ("spool_max_bytes" in names) == (name in {"collect", "demo"})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "--api-port", "70000"], "--api-port: input should be less than"),
        (["serve", "--no-such-flag"], "No such option"),
        (["serv"], "No such command 'serv'"),
        (["serve", "stray"], "unexpected extra argument"),
        (["extract"], "needs a ClickHouse server"),
        (["api", "--store-url", "chdb:///srv/store"], "needs a ClickHouse server"),
        (["serve", "--store-url", "postgres://db"], "clickhouse://"),
        (["show", "not-a-trace"], "not-a-trace"),
    ],
)
def test_a_mistake_gives_one_line_and_status_2(arguments: list[str], said: str, run: Run) -> None:
    status, out, err = run(*arguments)
    assert status == 2, err
    assert said in err
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("spanloom: ")


def test_a_bad_variable_gives_one_line_and_status_2(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPANLOOM_POLL_S", "often")
    status, _, err = run("serve")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("spanloom: SPANLOOM_POLL_S: ")


def test_what_cannot_be_done_gives_one_line_and_status_1(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise StartupError("a first line\nand a second")

    monkeypatch.setattr(spanloom, "main", fail)
    assert run("serve") == (1, "", "spanloom: a first line and a second\n")


def test_an_interruption_says_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(spanloom, "main", interrupt)
    assert run("list") == (130, "", "")
