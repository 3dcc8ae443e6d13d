"""Files that commands write: impossible paths, a full disk, a reader that has left."""

from __future__ import annotations

import errno
import io
import os
import resource
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson
import pytest
from tests.support.command_output import run_command
from tests.support.drafted import planner

from spanloom.cli import running
from spanloom.cli.interrupts import ReaderLeftError
from spanloom.cli.writing import check_place, whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)

    (tmp_path / "runs.jsonl").write_bytes((orjson.dumps(planner()) + b"\n") * 20)
    return tmp_path


@contextmanager
def short_of_space(most: int) -> Iterator[None]:
    """Let no file grow beyond ``most`` bytes; the system refuses to write, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_a_line_and_nothing_is_left(folder: Path) -> None:
    with short_of_space(10_000):
        said = run_command(["convert", "--to", "jsonl", "-o", "out", "runs.jsonl"])
    assert said.splitlines()[1:] == [
        "--- standard error",
        "spanloom: out: File too large",
        "--- exit status 1",
    ]
    assert [path.name for path in folder.iterdir()] == ["runs.jsonl"]


@pytest.mark.usefixtures("folder")
def test_a_report_on_a_full_disk_is_a_line() -> None:
    arguments = ["--to", "jsonl", "-o", "out", "--report", "/dev/full", "runs.jsonl"]
    said = run_command(["convert", *arguments])
    assert said.endswith("spanloom: /dev/full: No space left on device\n--- exit status 1\n")


def test_a_place_where_nothing_can_be_written_is_asked_wrongly(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    for flag, is_folder in (("-o", False), ("--to", True)):
        with pytest.raises(click.UsageError, match="nothing can be written in"):
            check_place(flag, folder / "out", is_folder=is_folder)


def test_folders_above_a_folder_are_made(folder: Path) -> None:
    check_place("-o", folder / "a" / "b", is_folder=True)
    run_command(["convert", "--to", "sts", "-o", "a/b", "runs.jsonl"])
    assert len(list((folder / "a" / "b").iterdir())) == 20


def write_half(path: Path) -> None:
    with whole_file(path) as file:
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_is_there_once_it_is_whole(folder: Path) -> None:
    path = folder / "out"
    path.write_bytes(b"before")
    with pytest.raises(click.ClickException, match="out: No space left"):
        write_half(path)
    assert path.read_bytes() == b"before"
    with whole_file(path) as file:
        file.write(b"after")
    assert path.read_bytes() == b"after"
    with whole_file(Path(os.devnull)) as file:
        file.write(b"nothing")


@pytest.mark.usefixtures("folder")
def test_a_reader_that_has_gone_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.BytesIO):
        def write(self, _: object) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(Gone()))
    with pytest.raises(ReaderLeftError):
        running.spanloom.main(["convert", "--to", "jsonl", "runs.jsonl"], standalone_mode=False)


@pytest.mark.usefixtures("folder")
def test_standard_output_that_is_full_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for command in (["convert", "--to", "jsonl", "runs.jsonl"], ["completion", "zsh"]):
        monkeypatch.setattr(sys, "argv", ["spanloom", *command])
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(Full()))
        monkeypatch.setattr(sys, "stderr", errors := io.StringIO())
        monkeypatch.setattr(running, "let_go_of_output", lambda: True)
        with pytest.raises(SystemExit) as ended:
            running.run()
        assert ended.value.code == 1
        assert errors.getvalue() == "spanloom: standard output: No space left on device\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "-o"],
        ["export", "-o", "out", "--report"],
        ["import", "runs.jsonl", "--report"],
        ["scores", "export", "-o"],
        ["annotations", "export", "--output"],
    ],
)
def test_commands_that_write_name_a_folder_that_is_not_there(arguments: list[str]) -> None:
    """The path is checked before a service is asked for anything."""
    for place, reason in (("none/out", "there is no folder"), (".", "is a directory")):
        said = run_command([*arguments, place])
        assert reason in said
        assert said.endswith("--- exit status 2\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a file by -o, or where to send the runs by --to"),
        (["-o", "x", "--to", "http://a"], "name a file by -o, or where to send the runs by --to"),
        (["--to", "http://a"], "--to sends invariant and otlp: not --format jsonl"),
        (["--to", "http://a", "--format", "invariant", "--dataset", "a b"], "only letters"),
        (["--to", "http://a", "--format", "otlp", "--dataset", "a"], "--dataset is for"),
        (["-o", "x", "--format", "invariant", "--dataset", "a"], "--dataset is for"),
    ],
)
def test_where_runs_are_sent_is_asked_wrongly(arguments: list[str], message: str) -> None:
    said = run_command(["export", *arguments])
    assert message in said
    assert said.endswith("--- exit status 2\n")
