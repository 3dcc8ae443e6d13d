"""The data directory: its owner (lock), its files and its format version."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from typing import TYPE_CHECKING, Self

from spanloom.core.errors import StartupError
from spanloom.doctor.facts import DirectoryFacts
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

    from spanloom.config.settings import Settings


FORMAT = 1
"""The format's number; incremented when older versions cannot use the directory."""


class DirectoryInUseError(StartupError):
    """Another process owns the data directory."""


RESTORING = "restoring"
"""Subdirectory in which ``spanloom restore`` collects files; if left, the restore has failed."""


def spool_in(data_dir: Path) -> Path:
    """Return the path of the spool file in a data directory."""
    return data_dir.absolute() / "spool.sqlite"


def temporary_in(data_dir: Path) -> Path:
    """Return the folder in a data directory for temporary files of the process that uses it."""
    return data_dir.absolute() / "tmp"


def look_at_directory(data_dir: Path) -> DirectoryFacts:
    """Return facts about a directory without locking or changing it.

    ``is_used`` is always false here, because only locking it would show that.
    """
    path = data_dir.absolute()
    exists = path.is_dir()
    lock = path / "lock"
    return DirectoryFacts(
        path=path,
        exists=exists,
        is_empty=exists and not any(path.iterdir()),
        format=_format_of(path),
        known_format=FORMAT,
        is_writable=os.access(path, os.W_OK | os.X_OK),
        owner=lock.read_text(errors="replace").strip() if lock.is_file() else "",
        is_used=False,
        was_killed=temporary_in(path).exists(),
    )


def _format_of(path: Path) -> int | None:
    try:
        return int((path / "FORMAT").read_text())
    except (OSError, ValueError):
        return None


class DataDir:
    """A data directory, locked for this process until ``release``.

    ``lock`` holds the owner's process id, ``FORMAT`` the directory's format number,
    ``spool.sqlite`` the acknowledged requests that are not stored yet, ``observations.sqlite`` the
    state of Langfuse's events. ``keys-known.json``, ``usage-known.json`` and ``store-known.json``
    hold what was last read from a ClickHouse server, ``store/`` is the embedded store. ``tmp/`` has
    temporary files, such as a batch that is being inserted, because this disk is meant for spans;
    temporary files left by a killed process are removed at the next start.
    """

    def __init__(self, path: Path) -> None:
        """Create the directory if needed and lock it.

        Raises ``StartupError`` if it cannot be written, belongs to a running process or was
        written by a newer Spanloom.
        """
        self.path = path.absolute()
        self._lock = self._open_lock()
        try:
            self._take_lock()
            self._check_format()
            self._take_temporary()
        except BaseException:
            os.close(self._lock)
            raise

    @property
    def spool(self) -> Path:
        """Path of the spool file."""
        return spool_in(self.path)

    @property
    def observations(self) -> Path:
        """Path of the file with the state of Langfuse's observations."""
        return self.path / "observations.sqlite"

    def warn_if_store_missing(self, store: Path) -> None:
        """Log an error if there is a spool but no store: its disk is probably not mounted."""
        if self.spool.exists() and not store.exists():
            get_logger("serve").error(
                "the store is missing, and an empty one is created",
                store=str(store),
                todo="stop, and mount the disk that has it or restore a backup",
            )

    def release(self) -> None:
        """Remove the temporary files and unlock the directory."""
        shutil.rmtree(temporary_in(self.path), ignore_errors=True)
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _open_lock(self) -> int:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)  # holds all received data
            return os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self._unusable(error) from error

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.read(self._lock, 32).decode(errors="replace").strip() or "unknown"
            raise DirectoryInUseError(
                f"the data directory {self.path} is in use by process {owner}; "
                "stop it, or use --data-dir to choose another"
            ) from error
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)

    def _take_temporary(self) -> None:
        """Create the directory for temporary files; first remove files left by a killed process."""
        temporary = temporary_in(self.path)
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from error

    def _check_format(self) -> None:
        file = self.path / "FORMAT"
        if (self.path / RESTORING).exists():
            raise StartupError(
                f"a restore into {self.path} did not finish: empty the directory, restore again"
            )
        try:
            with contextlib.suppress(FileNotFoundError):
                if (version := int(file.read_text())) > FORMAT:
                    raise StartupError(
                        f"the data directory {self.path} has format {version}, written by a newer "
                        f"Spanloom; this one reads up to {FORMAT}: upgrade, or use --data-dir"
                    )
                return
            written = file.with_suffix(".new")
            written.write_text(f"{FORMAT}\n")
            written.replace(file)  # atomically
        except ValueError as error:
            raise StartupError(
                f"{file} does not hold a number: is {self.path} a data directory of Spanloom?"
            ) from error
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> StartupError:
        return StartupError(
            f"cannot use the data directory {self.path}: {error.strerror}; "
            "make it writable, or use --data-dir to choose another"
        )


def own_store(settings: Settings, stack: ExitStack) -> bool:
    """Lock the data directory if the store is in it; return whether the store can be opened.

    ``False`` means that a running service has locked the directory, so the caller has to send its
    request to that service. Raises ``StartupError`` if there is no store.
    """
    if not settings.is_embedded:
        return True
    if not settings.store_url and not (settings.data_dir / "store").exists():
        raise StartupError(
            f"there is no store in {settings.data_dir.absolute()}: --data-dir names another"
        )
    try:
        stack.enter_context(DataDir(settings.data_dir))
    except DirectoryInUseError:
        return False
    return True
