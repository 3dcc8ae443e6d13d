"""Gives the space of processed requests back to the file system.

SQLite reuses the pages of deleted records and never shortens its write-ahead log. Free pages are
dropped in small transactions, between the transactions that acknowledge requests. The log is copied
into the file while other connections write, and truncated when everything is copied. Each step is
atomic; if the process ends in between, the next process continues.
"""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from spanloom.collector.spool.file import Connect

PAGES_AT_ONCE = 64
"""Free pages dropped in one transaction (4 MiB), for which requests wait some milliseconds."""
_ENDS = ("", "-wal")
_WAIT_S = 0.1


def size_on_disk(path: Path) -> int:
    """Return the size of a spool file and its log in bytes."""
    size = 0
    for end in _ENDS:
        with suppress(FileNotFoundError):
            size += path.with_name(path.name + end).stat().st_size
    return size


def drop_free_pages(connection: sqlite3.Connection) -> bool:
    """Drop some free pages within the current transaction; return whether any are left."""
    before = _count_free(connection)
    for _ in range(min(before, PAGES_AT_ONCE)):
        connection.execute("PRAGMA incremental_vacuum(1)")  # Python would fetch only the first row
    connection.execute("PRAGMA shrink_memory")
    return 0 < _count_free(connection) < before


def cut_log(path: Path, connect: Connect) -> None:
    """Copy the log's content into the file, set the file's length, and truncate the log.

    Other connections do not wait for the copying. If another connection uses the log, the log is
    truncated at a later call.
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
