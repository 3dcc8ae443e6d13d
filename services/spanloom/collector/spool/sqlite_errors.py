"""What an error of SQLite says about the file: it passes, or the file is damaged, or neither."""

from __future__ import annotations

import sqlite3

_PASSING = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN})
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_passing(error: Exception) -> bool:
    """Whether the file is sound: no room on the disk, or no descriptor for another file."""
    return _primary_code(error) in _PASSING


def is_damage(error: Exception) -> bool:
    """Whether the file holds what SQLite has not written."""
    return _primary_code(error) in _DAMAGE


def _primary_code(error: Exception) -> int | None:
    """Return SQLite's code without what extends it: of ``SQLITE_IOERR_FSYNC`` ``SQLITE_IOERR``."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None
