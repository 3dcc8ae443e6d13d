"""Golden files: a failing test prints the changed lines, and rewriting removes unused files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import goldens
from tests.support.goldens import SHOWN, Goldens, report

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep golden files in a temporary folder, and return it."""
    monkeypatch.setattr(goldens, "FILES", tmp_path)
    return tmp_path


def test_a_change_fails_and_names_the_lines(files: Path) -> None:
    Goldens(is_rewriting=True).check("list.txt", "a\nb\nc\n")
    compared = Goldens(is_rewriting=False)
    compared.check("list.txt", "a\nb\nc\n")
    with pytest.raises(pytest.fail.Exception, match=r"list\.txt has changed"):
        compared.check("list.txt", "a\nB\nc\n")
    assert report("list.txt", "a\nb\nc\n", "a\nB\nc\n")[1:] == [
        "@@ -1,4 +1,4 @@",
        " a",
        "-b",
        "+B",
        " c",
        " ",
    ]
    assert (files / "list.txt").read_text() == "a\nb\nc\n"


def test_a_file_that_is_missing_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"missing\.txt"):
        Goldens(is_rewriting=False).check("missing.txt", "a\n")


def test_line_ends_count() -> None:
    Goldens(is_rewriting=True).check("table.csv", "a\r\n")
    with pytest.raises(pytest.fail.Exception, match=r"table\.csv"):
        Goldens(is_rewriting=False).check("table.csv", "a\n")


def test_a_long_diff_is_cut() -> None:
    old, new = ("".join(f"{word} {at}\n" for at in range(100)) for word in ("old", "new"))
    lines = report("list.txt", old, new)
    assert len(lines) == SHOWN + 2
    assert lines[-1] == f"… {203 - 1 - SHOWN} more lines of diff"


def test_a_file_that_no_test_writes_is_named_and_removed(files: Path) -> None:
    (files / "stale.txt").touch()
    with pytest.raises(AssertionError, match=r"stale\.txt"):
        Goldens(is_rewriting=False).check_folder(".", ["list.txt"])
    Goldens(is_rewriting=True).check_folder(".", ["list.txt"])
    assert not (files / "stale.txt").exists()
