"""Bringing the records that an older release left in a spool up to this one's form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

Claim = Callable[[str, bytes], bytes]
"""Returns a request with the project of each resource; takes its key's project and its body."""

_AT_ONCE = 64


def claim_records(connection: sqlite3.Connection, claim: Claim) -> None:
    """Write projects into all records of a spool before version 4, which it then is.

    Safe to be interrupted: what was done is done again with the same result.
    """
    for table in ("requests", "dead_letters"):
        _claim_all(connection, table, claim)
    connection.execute("PRAGMA user_version = 4")


def _claim_all(connection: sqlite3.Connection, table: str, claim: Claim) -> None:
    """Write projects into records, some at a time: the disk may have no room for a copy of all."""
    seqs = connection.execute(f"SELECT seq FROM {table}").fetchall()  # noqa: S608  # one of two
    for start in range(0, len(seqs), _AT_ONCE):
        connection.execute("BEGIN IMMEDIATE")
        for (seq,) in seqs[start : start + _AT_ONCE]:
            _claim(connection, table, seq, claim)
        connection.execute("COMMIT")


def _claim(connection: sqlite3.Connection, table: str, seq: int, claim: Claim) -> None:
    """Write projects into one record; one that cannot be read is left for the store to refuse."""
    read = f"SELECT project, body FROM {table} WHERE seq = ?"  # noqa: S608  # as above
    try:
        body = claim(*connection.execute(read, (seq,)).fetchone())
    except ValueError:
        return
    connection.execute(f"UPDATE {table} SET body = ? WHERE seq = ?", (body, seq))  # noqa: S608
