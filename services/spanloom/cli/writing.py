"""Files that commands write: checks their paths, and reports errors in one line."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

import click

from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

_MOST_SHOWN = 120
"""Maximum characters of a path in a message."""
_IS_DEVICE = "it is not a file that can be replaced"


def check_place(
    flag: str, path: Path, *, is_folder: bool = False, may_be_device: bool = False
) -> None:
    """Raise ``click.UsageError`` if no file, or folder, can be created at a path.

    Parent folders of a folder are created, parent folders of a file are not. A device or a pipe can
    be written, but not replaced.
    """
    try:
        is_device = path.exists() and not path.is_file() and not path.is_dir()
        if may_be_device and is_device:
            return
        reason = _IS_DEVICE if is_device else _fault_of(path, is_folder=is_folder)
    except OSError as error:  # such as a name that is too long
        reason = str(error.strerror)
    if reason:
        raise click.UsageError(f"{flag} {_shown(path)}: {reason}")


def _fault_of(path: Path, *, is_folder: bool) -> str:
    if path.is_dir() != is_folder and path.exists():
        return "it is a file, and a folder is needed" if is_folder else "it is a directory"
    above = path.absolute().parent
    while is_folder and not above.exists():
        above = above.parent
    if not above.is_dir():
        is_there = above.exists()
        return (
            f"{_shown(above)} is no folder" if is_there else f"there is no folder {_shown(above)}"
        )
    return "" if os.access(above, os.W_OK) else f"nothing can be written in {_shown(above)}"


def check_apart(named: Mapping[str, Path], read: Collection[Path] = ()) -> None:
    """Raise ``click.UsageError`` if two options name one file, or one names a file to read."""
    flags: dict[Path, str] = {file.absolute().resolve(): "" for file in read}
    for flag, path in named.items():
        other = flags.setdefault(path.absolute().resolve(), flag)
        if other != flag:
            reason = f"{other} names it, too" if other else "it is read"
            raise click.UsageError(f"{flag} {_shown(path)}: {reason}")


@contextmanager
def writing(path: Path | None) -> Iterator[None]:
    """Raise ``click.ClickException`` if a file cannot be written, on a full disk for example.

    Without a path the file is standard output. A ``BrokenPipeError`` is raised unchanged.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = error.filename or path or "standard output"
        raise click.ClickException(f"{_shown(name)}: {error.strerror or error}") from error


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears once it is complete; a device or a pipe is written directly."""
    if path.exists() and not path.is_file():
        with writing(path), path.open("wb") as file:
            yield file
        return
    partial = path.with_name(f"{path.name}.partial")
    with writing(path):
        try:
            with partial.open("wb") as file:
                yield file
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def _shown(path: object) -> str:
    return printable(str(path))[-_MOST_SHOWN:]
