"""A data directory has one owner and a known format; otherwise the start ends with one line."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from spanloom.core.errors import StartupError
from spanloom.process.datadir import FORMAT, DataDir, temporary_in

if TYPE_CHECKING:
    from pathlib import Path


def test_a_directory_is_made_and_can_be_taken_again(tmp_path: Path) -> None:
    for _ in range(2):
        with DataDir(tmp_path / "a" / "b") as data:
            assert (data.path / "FORMAT").read_text() == f"{FORMAT}\n"
            assert data.spool.parent == data.path
            assert data.path.stat().st_mode & 0o077 == 0, "it holds all that was sent"


def test_a_store_that_is_gone_is_told_and_one_that_never_was_is_not(tmp_path: Path) -> None:
    with DataDir(tmp_path) as data, capture_logs() as lines:
        data.warn_if_store_missing(tmp_path / "store")
        data.spool.touch()
        data.warn_if_store_missing(tmp_path / "store")
        (tmp_path / "store").mkdir()
        data.warn_if_store_missing(tmp_path / "store")
    assert [line["log_level"] for line in lines] == ["error"]


def test_what_was_left_in_the_place_for_temporary_files_goes(tmp_path: Path) -> None:
    before = tempfile.gettempdir()
    place = temporary_in(tmp_path)
    place.mkdir()
    (place / "left.raw").write_bytes(b"spans of a killed process")
    with DataDir(tmp_path):
        assert list(place.iterdir()) == []
        assert tempfile.gettempdir() == before, "only the start of a process may change that"
    assert not place.exists()


def test_a_second_owner_is_told_who_has_it(tmp_path: Path) -> None:
    with (
        DataDir(tmp_path),
        pytest.raises(StartupError, match=rf"in use by process {os.getpid()}; .*--data-dir"),
    ):
        DataDir(tmp_path)


def test_a_refused_owner_leaves_the_lock_alone(tmp_path: Path) -> None:
    with DataDir(tmp_path):
        for _ in range(2):
            with pytest.raises(StartupError, match="in use"):
                DataDir(tmp_path)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "FORMAT").write_text(f"{FORMAT + 1}\n")
    with pytest.raises(StartupError, match="newer Spanloom"):
        DataDir(tmp_path)
    (tmp_path / "FORMAT").write_text(f"{FORMAT}\n")
    DataDir(tmp_path).release()  # the refused start has released the lock


def test_a_foreign_format_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "FORMAT").write_text("png\n")
    with pytest.raises(StartupError, match=r"is .* a data directory of Spanloom"):
        DataDir(tmp_path)


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartupError, match=r"cannot use the data directory .*; make it writable"):
        DataDir(tmp_path / "file")
