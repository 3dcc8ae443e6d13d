"""The data directory: who owns it, what it holds, and which Spanloom wrote it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from typing import TYPE_CHECKING, Self

from spanloom.core.errors import StartupError
from spanloom.doctor.facts import DirectoryFacts
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
"""Grows when a directory written by this version cannot be used by the one before."""


class DirectoryInUseError(StartupError):
    """Another process owns the data directory."""


RESTORING = "restoring"
"""Where ``spanloom restore`` puts files until all are there; what it left is no data directory."""


def spool_in(data_dir: Path) -> Path:
    """Return where the spool of a data directory is."""
    return data_dir.absolute() / "spool.sqlite"


def temporary_in(data_dir: Path) -> Path:
    """Return where the owner of a data directory is to put its temporary files."""
    return data_dir.absolute() / "tmp"


def look_at_directory(data_dir: Path) -> DirectoryFacts:
    """Return what can be seen of a directory without taking it; nothing is changed.

    Whether it is used can only be told by taking it: that is left at false here.
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

    ``lock`` holds the owner's process id, ``FORMAT`` the number above, ``spool.sqlite`` what
    is acknowledged and not yet stored, ``observations.sqlite`` what Langfuse's events said so
    far, ``store/`` the embedded store, ``tmp/`` what the process writes for a moment, such as a
    batch on its way into the store: it lies here, on the disk that is meant for spans, and what a
    killed process left of it goes at the next start.
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
        """Where the spool's file is."""
        return spool_in(self.path)

    @property
    def observations(self) -> Path:
        """Where the memory of the Langfuse front door is."""
        return self.path / "observations.sqlite"

    def miss(self, store: Path) -> None:
        """Say in the log if a start finds a spool and no store: another disk is not mounted."""
        if self.spool.exists() and not store.exists():
            get_logger("serve").error(
                "the store is gone, and an empty one is begun",
                store=str(store),
                todo="stop, and mount the disk that has it or restore a backup",
            )

    def release(self) -> None:
        """Let another process have the directory."""
        shutil.rmtree(temporary_in(self.path), ignore_errors=True)
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _open_lock(self) -> int:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds all that was sent
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
        """Make the place for temporary files, without what a killed process left there."""
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
                if (found := int(file.read_text())) > FORMAT:
                    raise StartupError(
                        f"the data directory {self.path} has format {found}, written by a newer "
                        f"Spanloom; this one reads up to {FORMAT}: upgrade, or use --data-dir"
                    )
                return
            written = file.with_suffix(".new")
            written.write_text(f"{FORMAT}\n")
            written.replace(file)  # whole or not at all
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
