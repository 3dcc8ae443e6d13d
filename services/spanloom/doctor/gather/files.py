"""Reads facts from the files of a data directory, even while a process uses the directory."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from spanloom.collector.spool.file import LIST_LETTERS, SCHEMA_VERSION, Totals
from spanloom.collector.spool.free_space import least_free
from spanloom.collector.spool.mending import DAMAGED
from spanloom.core.errors import StartupError
from spanloom.core.model.diagnosis import DeadLetter
from spanloom.core.model.upkeep import Terms
from spanloom.doctor.facts import Broken, DiskFacts, Known, SpoolFacts, Unknown
from spanloom.keeper import read_plan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BUSY_S = 10.0
_PARTS = {
    "store": ("store",),
    "spool": ("spool.sqlite", "spool.sqlite-wal"),
    "observations": ("observations.sqlite", "observations.sqlite-wal"),
}
_OLDEST = "SELECT accepted_at_ns FROM requests ORDER BY seq LIMIT 1"


def look_at_disk(data_dir: Path, min_free_bytes: int | None) -> DiskFacts:
    """Return the free space, the required free space, and the sizes in the directory."""
    usage = shutil.disk_usage(data_dir)
    sizes = {part: sum(_size(data_dir / name) for name in names) for part, names in _PARTS.items()}
    return DiskFacts(usage.free, usage.total, least_free(usage.total, min_free_bytes), sizes)


def look_at_spool(file: Path, max_bytes: int) -> Known[SpoolFacts]:
    """Return the contents of the spool, opened read-only."""
    if not file.exists():
        return Unknown("there is no spool yet")
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=_BUSY_S)) as db:
            return _read(db, file, max_bytes)
    except sqlite3.Error as error:
        return Broken(
            f"the spool {file} cannot be read: {error}",
            "check the disk's health; the next start keeps its readable records, and a backup may "
            "have the rest",
        )


def look_at_files(data_dir: Path, retention_file: Path) -> Sequence[str]:
    """Return the errors in files that a service reads at its start, except spool and store."""
    troubles = []
    observations = data_dir / "observations.sqlite"
    try:
        if observations.exists():
            with closing(sqlite3.connect(f"{observations.as_uri()}?mode=ro", uri=True)) as file:
                file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        troubles.append(f"{observations} cannot be read: {error}")
    try:
        read_plan(retention_file, Terms())
    except StartupError as error:
        troubles.append(str(error))
    return troubles


def _read(db: sqlite3.Connection, file: Path, max_bytes: int) -> Known[SpoolFacts]:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        return Broken(
            f"the spool {file} has schema {version}; this version knows {SCHEMA_VERSION}",
            "`pip install --upgrade spanloom`, or use the release that wrote it",
        )
    if 0 < version < SCHEMA_VERSION:
        return Broken(
            f"the spool {file} was made by a Spanloom before 0.1.0",
            "export its runs with the version that made it (`spanloom export --format otlp`), and "
            "import them (`spanloom import`) into an empty data directory",
        )
    if version == 0:
        return Unknown("the spool has no tables yet; the next start makes them")
    db.execute("BEGIN")  # a consistent view for all queries
    totals = Totals.load(db)
    oldest = db.execute(_OLDEST).fetchone()
    letters = [DeadLetter(*row) for row in db.execute(LIST_LETTERS)]
    return SpoolFacts(
        records=totals.records,
        bytes=totals.bytes,
        oldest_ns=oldest[0] if oldest else 0,
        last_seq=totals.last_seq,
        max_bytes=max_bytes,
        letters=letters,
        damaged=sorted(file.parent.glob(f"{file.name}{DAMAGED}*[0-9]")),
    )


def _size(path: Path) -> int:
    """Return the size of a file or of all files in a folder; a removed file counts as 0."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(_file_size(file) for file in files)


def _file_size(file: Path) -> int:
    try:
        return 0 if file.is_dir() else file.lstat().st_size
    except OSError:
        return 0
