"""Gives the room that a backlog took back to the disk.

SQLite keeps the pages of deleted records for new ones, and the log at the length that it had. The
pages go in small transactions, between those that acknowledge requests; the log is copied while
others write, and cut off when nothing is left to copy. Each step is whole or not done, so a process
may end in the middle, and the next one goes on.
"""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from spanloom.collector.spool.file import Connect

PAGES_AT_ONCE = 64
"""Free pages that one transaction drops, 4 MiB: requests wait for it some milliseconds."""
_ENDS = ("", "-wal")
_WAIT_S = 0.1


def size_on_disk(path: Path) -> int:
    """Return how many bytes a spool and its log have."""
    size = 0
    for end in _ENDS:
        with suppress(FileNotFoundError):
            size += path.with_name(path.name + end).stat().st_size
    return size


def drop_free_pages(connection: sqlite3.Connection) -> bool:
    """Drop some free pages, as part of the transaction under way; return whether any are left."""
    before = _count_free(connection)
    for _ in range(min(before, PAGES_AT_ONCE)):
        connection.execute("PRAGMA incremental_vacuum(1)")  # of more, Python asks for the first
    connection.execute("PRAGMA shrink_memory")
    return 0 < _count_free(connection) < before


def cut_log(path: Path, connect: Connect) -> None:
    """Copy what the log holds into the file, which then gets its length, and empty the log.

    Nobody waits for the copying. A log that somebody reads or writes is left for the next time.
    """
    with closing(
        connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
    ) as own:
        own.execute("PRAGMA synchronous = FULL")
        own.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        own.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _count_free(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("PRAGMA freelist_count").fetchone()
    return int(count)
