"""The unfinished file of an export, and the record of its progress.

An export to ``runs.jsonl`` writes ``runs.jsonl.partial`` and, in ``runs.jsonl.partial.json``, how
much of it is safely on disk; ``runs.jsonl.partial.notes`` has a line for each run that was left out
or lost something. ``runs.jsonl`` itself exists only once it is complete.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any, Self
from urllib.parse import quote

import orjson

from spanloom.client.errors import ClientError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_VERSION = 2


class ExportError(ClientError):
    """An export cannot continue; the message suggests what to do."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The progress of an export."""

    asked: Mapping[str, Any]  # JSON values
    """The options as typed by the user; an export with other options does not resume this file."""
    filters: Mapping[str, str]
    """The options as API parameters; ``7d`` became a time, 7 days before the export first began."""
    cursor: str | None = ""
    """The cursor of the next page; ``None`` if there is none."""
    bytes: int = 0
    runs: int = 0
    skipped: int = 0
    """Runs that were left out."""
    items: int = 0
    """Number of items in the file (``exchange/files.py``)."""
    note_bytes: int = 0
    """The length of the notes in bytes."""
    losses: Mapping[str, int] = field(default_factory=dict)
    """Number of losses so far, keyed by code."""
    home: str = ""
    """The project whose files are named by the trace id alone."""
    version: int = _VERSION


class Page:
    """The notes about one page of runs: runs left out, and what written runs lost."""

    def __init__(self) -> None:
        """Start without notes."""
        self.runs = 0
        self.notes: list[Mapping[str, Any]] = []  # JSON values
        self.losses: Counter[str] = Counter()

    def skip(self, run: Mapping[str, Any]) -> None:
        """Record a run that is left out."""
        self.notes.append({"skipped": run})

    def lose(self, trace_id: str, counts: Mapping[str, int]) -> None:
        """Record the losses of a written run, by code."""
        if counts:
            self.losses.update(counts)
            self.notes.append({"lost": {"trace_id": trace_id, "counts": counts}})


class PartialFile:
    """The unfinished file; locked by one process at a time."""

    def __init__(self, path: Path, mark: Mark) -> None:
        """Resume an earlier export of the same runs, or begin a new one.

        Raises ``ExportError`` if a different export exists at the path, or one is being written.
        """
        self.path = path
        self._partial = path.with_name(f"{path.name}.partial")
        self._progress = path.with_name(f"{path.name}.partial.json")
        self._noted = path.with_name(f"{path.name}.partial.notes")
        self.file: IO[bytes] = self._partial.open("ab+")
        _lock(self.file, self._partial)
        self.mark = self._read(mark)
        self.is_resumed = self.mark.runs > 0
        self._notes: IO[bytes] = self._noted.open("ab+")
        for file, size in ((self.file, self.mark.bytes), (self._notes, self.mark.note_bytes)):
            file.truncate(size)
            file.seek(size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self._notes.close()

    def commit(self, cursor: str | None, page: Page, items: int = 0, home: str = "") -> None:
        """Sync the file to disk, then record the progress."""
        self._notes.writelines(orjson.dumps(note) + b"\n" for note in page.notes)
        for file in (self.file, self._notes):
            file.flush()
            os.fsync(file.fileno())
        mark = self.mark
        self.mark = replace(
            mark,
            cursor=cursor,
            bytes=self.file.tell(),
            runs=mark.runs + page.runs,
            skipped=mark.skipped + sum("skipped" in note for note in page.notes),
            items=items,
            note_bytes=self._notes.tell(),
            losses=dict(Counter(mark.losses) + page.losses),
            home=home,
        )
        fresh = self._progress.with_name(f"{self._progress.name}.new")
        fresh.write_bytes(orjson.dumps(asdict(self.mark)))
        fresh.replace(self._progress)

    def notes(self) -> Iterator[Mapping[str, Any]]:  # JSON values
        """Yield the recorded notes in order: ``{"skipped": …}`` or ``{"lost": …}``."""
        self._notes.seek(0)
        for line in self._notes:
            yield orjson.loads(line)

    def finish(self, whole: Path | None = None) -> None:
        """Rename the written file, or the file made from it, to its final name."""
        self.file.flush()
        os.fsync(self.file.fileno())
        (whole or self._partial).replace(self.path)
        for left in (self._partial, self._progress, self._noted):
            left.unlink(missing_ok=True)

    def _read(self, mine: Mark) -> Mark:
        try:
            earlier = Mark(**orjson.loads(self._progress.read_bytes()))
        except FileNotFoundError:
            return mine
        except (ValueError, TypeError):
            earlier = replace(mine, asked={}, version=0)
        notes = self._noted.stat().st_size if self._noted.exists() else 0
        size = self._partial.stat().st_size
        if (
            earlier.asked != mine.asked
            or earlier.version != _VERSION
            or size < earlier.bytes
            or notes < earlier.note_bytes
        ):
            raise ExportError(
                f"{self._partial} is of another export; remove it and {self._progress.name}, or "
                "choose another file"
            )
        return earlier


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ExportError(f"another export writes {path}; wait for its end") from None


class Folder:
    """A folder with a file for each run; until it is complete its name is ``NAME.partial.d``."""

    def __init__(self, path: Path, suffix: str, *, is_resumed: bool) -> None:
        """Resume an earlier folder, or begin one; raises ``ExportError`` if ``path`` is used."""
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ExportError(f"{path} is there, and not empty; choose another folder")
        self._suffix = suffix
        self.partial = path.with_name(f"{path.name}.partial.d")
        if not is_resumed:
            shutil.rmtree(self.partial, ignore_errors=True)
        self.partial.mkdir(parents=True, exist_ok=True)

    def add(self, trace_id: str, project: str, home: str, body: bytes) -> None:
        """Write the file of a run, and sync it to disk.

        For projects other than ``home`` the file's name has the project, because an id may occur in
        two projects.
        """
        name = trace_id if project == home else f"{trace_id}.{quote(project, safe='')}"
        with (self.partial / f"{name}{self._suffix}").open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())


def bytes_of(path: Path) -> int:
    """Return the size of a file, or of the files of a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.iterdir())
    return path.stat().st_size
