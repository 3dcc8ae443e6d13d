"""Repairs a damaged spool file: copies readable records to a new file, preserves the damaged file.

After a disk failure, or if a tool truncated the file, SQLite can read only some of its records.
Starting with an empty spool would lose the readable records, and not starting would lose new
requests. Therefore every start checks the file (a third of a second for 650 MB), and repairs it if
needed.

A repair may be interrupted: the new file is named ``….mended`` only once it is complete and
fsynced, and from then on the next start renames it to the spool's name.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from spanloom.core.errors import StartupError
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from pathlib import Path


_PASSING = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN})
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_passing(error: Exception) -> bool:
    """Return whether the error is transient: the disk is full, or no file descriptor is left."""
    return _primary_code(error) in _PASSING


def is_damage(error: Exception) -> bool:
    """Return whether the error means that the file is damaged or is not an SQLite file."""
    return _primary_code(error) in _DAMAGE


def _primary_code(error: Exception) -> int | None:
    """Return the primary result code: ``SQLITE_IOERR`` for ``SQLITE_IOERR_FSYNC``."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


_TABLES = ("requests", "dead_letters")
_COUNT = (
    "UPDATE totals SET (records, bytes) = (SELECT count(*), ifnull(sum(size), 0) FROM requests), "
    "(dead_records, dead_bytes) = (SELECT count(*), ifnull(sum(size), 0) FROM dead_letters), "
    "last_seq = max(?, ifnull((SELECT max(seq) FROM requests), 0), "
    "ifnull((SELECT max(seq) FROM dead_letters), 0))"
)
_MAX_SEQ = (1 << 63) - 1
DAMAGED = ".damaged-"
"""Added to the name of a damaged file that is preserved, followed by the time."""


def mend_if_damaged(path: Path, version: int, schema: str) -> None:
    """Check the file and repair it if it is damaged.

    Each record keeps its sequence; only damaged records are left out. ``schema`` is the SQL that
    creates the tables in a file of this ``version``.

    Raises ``StartupError`` if nothing can be read, or if a file of another version is damaged.
    """
    mended = path.with_name(f"{path.name}.mended")
    if not mended.exists():
        damage = _damage_of(path) if path.exists() else ""
        if not damage:
            return
        _write_mended(path, mended, version, schema, damage)
    _put_in_place(mended, path)


def _damage_of(path: Path) -> str:
    """Return SQLite's description of the damage; empty if there is no damage."""
    try:
        with closing(sqlite3.connect(path)) as file:
            [(result,), *_] = file.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return str(error)
    return "" if result == "ok" else str(result)


def _write_mended(path: Path, mended: Path, version: int, schema: str, damage: str) -> None:
    """Copy the readable records to ``mended``, and log their number."""
    unfinished = mended.with_suffix(".mending")
    unfinished.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(unfinished)) as file:
            file.execute("PRAGMA journal_mode = MEMORY")  # an interrupted copy starts again
            file.executescript(schema)
            file.execute("PRAGMA writable_schema = ON")  # otherwise SQLite refuses a truncated file
            file.execute("ATTACH ? AS damaged", (str(path),))
            if file.execute("PRAGMA damaged.user_version").fetchone() != (version,):
                raise StartupError(f"The spool {path}, of another release, is damaged: {damage}.")
            expected, last_seq = _expected(file)
            kept = sum(_copy(file, table) for table in _TABLES)
            file.execute(_COUNT, (last_seq,))
            file.commit()
    except sqlite3.DatabaseError as error:
        raise StartupError(
            f"The spool {path} is damaged and nothing of it can be read ({error}): restore it from "
            f"a backup, or start without what it held after `mv {path} {path}.lost`."
        ) from error
    _sync(unfinished)
    unfinished.rename(mended)
    _sync(path.parent)
    get_logger("spool").error(
        "the spool was damaged; its readable records were kept",
        damage=damage,
        kept=kept,
        lost="unknown" if expected is None else max(expected - kept, 0),
    )


def _expected(file: sqlite3.Connection) -> tuple[int | None, int]:
    """Return record count and newest sequence from the totals; ``None, 0`` if unreadable."""
    with suppress(sqlite3.DatabaseError):
        query = "SELECT records + dead_records, last_seq FROM damaged.totals"
        for expected, last_seq in file.execute(query):
            return expected, last_seq
    return None, 0


def _copy(file: sqlite3.Connection, table: str) -> int:
    """Copy each readable record; return the number of copied records."""
    one = f"INSERT OR IGNORE INTO {table} SELECT * FROM damaged.{table} WHERE seq = ?"  # noqa: S608  # one of two
    kept = 0
    for seq in _numbers(file, table):
        with suppress(sqlite3.DatabaseError):
            kept += file.execute(one, (seq,)).rowcount
    return kept


def _numbers(file: sqlite3.Connection, table: str) -> list[int]:
    """Return the sequences before the first damaged page and after the last damaged page.

    Each row is read with a separate query later, because a cursor over many rows reads ahead, and
    would fail at a good row if the next row is damaged.
    """
    before = f"SELECT min(seq) FROM damaged.{table} WHERE seq > ?"  # noqa: S608  # as above
    after = f"SELECT max(seq) FROM damaged.{table} WHERE seq < ?"  # noqa: S608  # as above
    return sorted(_walk(file, before, -1) | _walk(file, after, _MAX_SEQ))


def _walk(file: sqlite3.Connection, query: str, seq: int) -> set[int]:
    """Return the sequences from one end of the table up to the damage.

    Ends at a sequence seen before, because damaged pages may form a cycle.
    """
    seqs: set[int] = set()
    with suppress(sqlite3.DatabaseError):
        while (seq := file.execute(query, (seq,)).fetchone()[0]) is not None and seq not in seqs:
            seqs.add(seq)
    return seqs


def _put_in_place(mended: Path, path: Path) -> None:
    """Rename the damaged file and its log, then rename the new file to ``path``.

    The old log must not be applied to the new file.
    """
    kept = path.with_name(path.name + DAMAGED + time.strftime("%Y%m%dT%H%M%S", time.gmtime()))
    for end in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(kept.with_name(kept.name + end))
    mended.rename(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
