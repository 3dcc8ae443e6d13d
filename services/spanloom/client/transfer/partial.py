"""The unfinished file of an export and its progress, from which an interrupted export resumes.

An export to ``runs.jsonl`` writes ``runs.jsonl.partial`` and, in ``runs.jsonl.partial.json``, how
much of it is safely on disk. ``runs.jsonl`` itself exists only once it is complete.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import asdict, dataclass, replace
from typing import IO, TYPE_CHECKING, Any, Self

import orjson

from spanloom.client.errors import ClientError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_VERSION = 1


class ExportError(ClientError):
    """An export cannot go on; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The progress of an export."""

    asked: Mapping[str, Any]  # as JSON has it
    """The options as the user typed them: an export with others does not resume this file."""
    filters: Mapping[str, str]
    """The same as parameters of the API: ``7d`` keeps the point in time of the first start."""
    cursor: str | None = ""
    """The cursor of the next page; ``None`` if there is none."""
    bytes: int = 0
    runs: int = 0
    skipped: tuple[str, ...] = ()
    """Trace ids of runs that were deleted meanwhile."""
    version: int = _VERSION


class PartialFile:
    """The file as far as it is written; locked by one process at a time."""

    def __init__(self, path: Path, mark: Mark) -> None:
        """Resume an earlier export of the same runs, else begin a new one.

        Raises ``ExportError`` if a different export is there, or one is being written.
        """
        self.path = path
        self._partial = path.with_name(f"{path.name}.partial")
        self._told = path.with_name(f"{path.name}.partial.json")
        self.file: IO[bytes] = self._partial.open("ab+")
        _lock(self.file, self._partial)
        self.mark = self._read(mark)
        self.is_resumed = self.mark.runs > 0
        self.file.truncate(self.mark.bytes)
        self.file.seek(self.mark.bytes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def commit(self, cursor: str | None, runs: int, skipped: tuple[str, ...]) -> None:
        """Sync the file to disk, then record the progress."""
        self._sync()
        mark = self.mark
        self.mark = replace(
            mark,
            cursor=cursor,
            bytes=self.file.tell(),
            runs=mark.runs + runs,
            skipped=mark.skipped + skipped,
        )
        fresh = self._told.with_name(f"{self._told.name}.new")
        fresh.write_bytes(orjson.dumps(asdict(self.mark)))
        fresh.replace(self._told)

    def finish(self, whole: Path | None = None) -> None:
        """Rename the written file, or a complete file made from it, to its final name."""
        self._sync()
        (whole or self._partial).replace(self.path)
        self._partial.unlink(missing_ok=True)
        self._told.unlink(missing_ok=True)

    def _sync(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())

    def _read(self, mine: Mark) -> Mark:
        try:
            told = Mark(**orjson.loads(self._told.read_bytes()))
        except FileNotFoundError:
            return mine
        except (ValueError, TypeError):
            told = replace(mine, asked={}, version=0)
        size = self._partial.stat().st_size
        if told.asked != mine.asked or told.version != _VERSION or size < told.bytes:
            raise ExportError(
                f"{self._partial} is of another export; remove it and {self._told.name}, or "
                "choose another file"
            )
        return replace(told, skipped=tuple(told.skipped))


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ExportError(f"another export writes {path}; wait for its end") from None
