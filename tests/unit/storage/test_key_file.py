"""A file of keys works for several processes and openers that share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import programs

from spanloom.storage.access import SqliteKeys

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.service


def test_a_second_opener_in_the_process_does_not_take_the_first_ones_locks(tmp_path: Path) -> None:
    """Closing any descriptor of a file drops the process's POSIX locks on it, SQLite's too.

    Another process that closes the file would then consider itself the last, and delete SQLite's
    log.
    """
    path = tmp_path / "keys.sqlite"
    first = SqliteKeys(path)
    assert first.read_all() == []
    SqliteKeys(path).close()
    command = ("-m", "spanloom", "keys", "create", "--project=p", "--scopes=read")
    for count in (1, 2, 3):
        made = programs.run(*command, f"--data-dir={tmp_path}")
        assert made.stdout.startswith("sl_"), made.stderr
        assert len(first.read_all()) == count
    first.close()
