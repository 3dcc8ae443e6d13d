"""Classes of SQLite errors: transient, damage of the file, or neither."""

from __future__ import annotations

import sqlite3

_PASSING = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN})
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_passing(error: Exception) -> bool:
    """Return whether the error is transient: disk full, or no file descriptor left."""
    return _primary_code(error) in _PASSING


def is_damage(error: Exception) -> bool:
    """Return whether the file is damaged or not an SQLite file."""
    return _primary_code(error) in _DAMAGE


def _primary_code(error: Exception) -> int | None:
    """Return the primary result code: ``SQLITE_IOERR`` for ``SQLITE_IOERR_FSYNC``."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None
