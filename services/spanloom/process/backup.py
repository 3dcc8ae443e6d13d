"""Backs up a data directory, even while a service runs, and restores it into a new directory.

The spool is copied first, then the store, so that a backup is complete: a span leaves the spool
only after it is stored, so a span missing in the copy of the spool is in the copy of the store. A
span in both copies is stored once after a restore.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from spanloom import __version__
from spanloom.core.errors import StartupError
from spanloom.process.datadir import FORMAT, RESTORING, spool_in
from spanloom.storage.snapshots import snapshot_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Digests = Mapping[str, str]
    """SHA-256 in hex, keyed by the path of the file inside the backup."""


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
    """Copy the committed state of a SQLite file, even during writes; return the copy's SHA-256."""
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


MANIFEST = "backup.json"
"""The file that is written last; a directory without it is not a complete backup."""
PLAIN_FILES = ("FORMAT", "retention.toml", "collector-number")


class Copied(NamedTuple):
    """Number and total size of the files of a backup."""

    files: int
    bytes: int


def back_up(
    data_dir: Path, store: Path, target: Path, take_snapshot: Callable[[], object]
) -> Copied:
    """Copy a data directory into a new or empty directory, completely or not at all.

    ``take_snapshot`` makes the process that has opened ``store`` take a snapshot
    (``SnapshotTaker``). Raises ``StartupError`` with one line if the backup fails, and then leaves
    no files.
    """
    snapshot = snapshot_in(store)

    def copy(unfinished: Path) -> Digests:
        shutil.rmtree(snapshot, ignore_errors=True)  # left by a killed backup
        try:
            digests = _copy_databases(data_dir, unfinished)
            take_snapshot()
            plain = _copy_plain(data_dir, unfinished)
            return {**digests, **plain, **_copy_store(snapshot, unfinished)}
        finally:
            shutil.rmtree(snapshot, ignore_errors=True)

    return _copy_whole(data_dir, target, copy)


def back_up_spool(data_dir: Path, target: Path) -> Copied:
    """Copy a collector's data directory, which has no store; otherwise like ``back_up``.

    The store is then on a ClickHouse server, which has to be backed up separately, afterwards.
    """

    def copy(unfinished: Path) -> Digests:
        return {**_copy_databases(data_dir, unfinished), **_copy_plain(data_dir, unfinished)}

    return _copy_whole(data_dir, target, copy)


def _copy_whole(data_dir: Path, target: Path, copy: Callable[[Path], Digests]) -> Copied:
    """Let ``copy`` fill a directory that becomes the target once it is complete."""
    target = target.absolute()
    unfinished = target.with_name(f".{target.name}.unfinished")
    with _alone(data_dir):
        refuse_unless_empty(target)
        try:
            shutil.rmtree(unfinished, ignore_errors=True)  # left by a killed backup
            unfinished.mkdir(mode=0o700, parents=True)
            _write_manifest(unfinished, copy(unfinished))
            copied = _measured(unfinished)
            unfinished.rename(target)
            sync_directory(target.parent)
        except (OSError, sqlite3.Error) as error:
            raise StartupError(f"cannot copy {data_dir} to {target}: {error}") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return copied


def restore(source: Path, data_dir: Path) -> Copied:
    """Make a data directory from a backup; every file is verified by its SHA-256.

    Raises ``StartupError`` with one line, and leaves the directory unchanged, if the directory is
    not empty, or if the backup is damaged or was made by a newer Spanloom.
    """
    digests = _read_manifest(source)
    refuse_unless_empty(data_dir)
    unfinished = data_dir / RESTORING
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished.mkdir()
        refuse_without_room(files_below(source), data_dir)
        for name, digest in digests.items():
            if copy_file(source / name, unfinished / name) != digest:
                raise StartupError(f"the backup {source} is damaged: {name} is not as it was made")
        copied = _measured(unfinished)
        sync_directories(unfinished)
        for entry in list(unfinished.iterdir()):
            entry.rename(data_dir / entry.name)
        sync_directory(data_dir)
    except OSError as error:
        raise StartupError(f"cannot restore {source} into {data_dir}: {error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return copied


@contextmanager
def _alone(data_dir: Path) -> Iterator[None]:
    """Exclude other backups of this data directory, as only one snapshot exists at a time."""
    if not (data_dir / "FORMAT").exists():
        raise StartupError(f"there is no data in {data_dir.absolute()}: --data-dir names another")
    with ExitStack() as stack:
        try:
            lock = stack.enter_context((data_dir / "backup.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StartupError(
                f"another backup of {data_dir} is under way: wait for its end"
            ) from error
        except OSError as error:
            raise StartupError(f"cannot write in {data_dir}: {error.strerror}") from error
        yield


def _copy_databases(data_dir: Path, target: Path) -> dict[str, str]:
    """Copy the SQLite files, the spool first."""
    spool = spool_in(data_dir)
    others = (file for file in sorted(data_dir.glob("*.sqlite")) if file.name != spool.name)
    files = [file for file in (spool, *others) if file.exists()]
    refuse_without_room(files, target)
    return {file.name: copy_database(file, target / file.name) for file in files}


def _copy_plain(data_dir: Path, target: Path) -> dict[str, str]:
    present = [name for name in PLAIN_FILES if (data_dir / name).exists()]
    return {name: copy_file(data_dir / name, target / name) for name in present}


def _copy_store(snapshot: Path, target: Path) -> dict[str, str]:
    if not snapshot.is_dir():
        raise StartupError(
            f"the queried service took no snapshot in {snapshot}: it works in another data "
            "directory; name the right one with --api-url"
        )
    files = list(files_below(snapshot))
    refuse_without_room(files, target)
    names = {file: str(PurePosixPath("store", file.relative_to(snapshot))) for file in files}
    return {name: copy_file(file, target / name) for file, name in names.items()}


def _write_manifest(folder: Path, digests: Digests) -> None:
    manifest = {
        "spanloom": __version__,
        "format": int((folder / "FORMAT").read_text()),
        "created_at_ns": time.time_ns(),
        "files": digests,
    }
    written = folder / f"{MANIFEST}.new"
    written.write_text(json.dumps(manifest))
    copy_file(written, folder / MANIFEST)
    written.unlink()
    sync_directories(folder)


def _read_manifest(source: Path) -> Digests:
    """Return the files of a backup; raises ``StartupError`` if invalid or of a newer Spanloom."""
    try:
        manifest = json.loads((source / MANIFEST).read_text())
        digests = {str(name): str(digest) for name, digest in manifest["files"].items()}
        version = int(manifest["format"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StartupError(f"{source} holds no finished backup of `spanloom backup`") from error
    if version > FORMAT:
        raise StartupError(
            f"the backup {source} has format {version}, written by a newer Spanloom; this one "
            f"reads up to {FORMAT}: upgrade"
        )
    if outside := [name for name in digests if ".." in name or Path(name).is_absolute()]:
        raise StartupError(f"the backup {source} is damaged: it names the file {outside[0]}")
    return digests


def _measured(folder: Path) -> Copied:
    sizes = [file.stat().st_size for file in files_below(folder)]
    return Copied(len(sizes), sum(sizes))
