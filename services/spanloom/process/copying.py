"""Copies of files, fsynced, with their SHA-256."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

CHUNK_BYTES = 1 << 20
SPARE_BYTES = 16 << 20
"""Free bytes that a disk must have left after a copy."""
BUSY_S = 30.0


def copy_file(source: Path, target: Path) -> str:
    """Copy a file, readable by its owner only; return the SHA-256 of the copy in hex."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with source.open("rb") as reading, target.open("xb") as writing:
        target.chmod(0o600)
        while chunk := reading.read(CHUNK_BYTES):
            digest.update(chunk)
            writing.write(chunk)
        writing.flush()
        os.fsync(writing.fileno())
    return digest.hexdigest()


def copy_database(source: Path, target: Path) -> str:
    """Copy a SQLite file as of one commit, also while it is written; return the SHA-256."""
    target.touch(0o600, exist_ok=False)
    with (
        closing(
            sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", BUSY_S, uri=True)
        ) as from_,
        closing(sqlite3.connect(target)) as to,
    ):
        from_.backup(to)
    with target.open("rb") as copied:
        os.fsync(copied.fileno())
        return hashlib.file_digest(copied, "sha256").hexdigest()


def sync_directories(root: Path) -> None:
    """Fsync a directory and all directories in it."""
    for path in (root, *root.rglob("*")):
        if path.is_dir():
            sync_directory(path)


def sync_directory(path: Path) -> None:
    """Fsync a directory, so that the names in it are durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def files_below(root: Path) -> Iterator[Path]:
    """Yield every file in a directory, recursively."""
    return (path for path in root.rglob("*") if path.is_file())


def refuse_unless_empty(target: Path) -> None:
    """Raise ``StartupError`` if ``target`` is a file or a directory with entries."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise StartupError(f"{target} is not empty: name a new directory")


def refuse_without_room(files: Iterable[Path], target: Path) -> None:
    """Raise ``StartupError`` if the disk of the existing ``target`` has no room for the files."""
    needed = sum(file.stat().st_size for file in files) + SPARE_BYTES
    if (free := shutil.disk_usage(target).free) < needed:
        raise StartupError(
            f"the disk of {target} has {free >> 20:,} MiB free, {needed >> 20:,} MiB are needed: "
            "name a directory on another disk"
        )
