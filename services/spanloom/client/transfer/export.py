"""Writes the runs of a list into a file, and resumes an interrupted export.

An export to ``runs.jsonl`` writes ``runs.jsonl.partial`` and, in ``runs.jsonl.partial.json``, how
much of it is safely on disk. ``runs.jsonl`` itself exists only once it is complete.

Until the API returns many documents in one response, each is a request of its own (``_copy``).
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import asdict, dataclass, replace
from typing import IO, TYPE_CHECKING, Any, Self, TypeAlias

import orjson

from spanloom.client.calls import runs as calls
from spanloom.client.calls.walks import PageWalk, Row, read_rows
from spanloom.client.errors import ClientError
from spanloom.client.request import NOT_FOUND, OK, reading_from
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.client.calls.walks import Listing
    from spanloom.client.client import Client
    from spanloom.client.request import Request
    from spanloom.core.formats.entry import Format
    from spanloom.core.records.run import Run


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


Assemble: TypeAlias = "Callable[[IO[bytes]], Path]"
"""Makes the file from pairs of lines, a row of the list and a document, and returns its path."""
PAGE_RUNS = 100
"""The export is synced to disk after this many runs."""


@dataclass(frozen=True, slots=True)
class Export:
    """The runs to write, the format and the file."""

    runs: Listing[Run]
    asked: Mapping[str, Any]  # as JSON has it
    """The filters and other options as the user typed them."""
    format: Format
    path: Path


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export."""

    file: str
    format: str
    runs: int
    bytes: int
    skipped: Sequence[str]
    """Trace ids of runs that were deleted meanwhile."""
    is_resumed: bool


def export(client: Client, wanted: Export, tell: Callable[[Mark], None]) -> Exported:
    """Write the file; ``tell`` is called with the progress after each page.

    Called again with the same export after an interruption, it resumes where it was.
    """
    assemble: Assemble | None = wanted.format.load_writer() if wanted.format.writer else None
    asked = {**wanted.asked, "format": wanted.format.id, "url": client.url}
    with PartialFile(wanted.path, Mark(asked, wanted.runs.filters)) as partial:
        for rows, cursor in _pages(client, wanted, partial.mark):
            skipped = tuple(r["trace_id"] for r in rows if not _write(client, wanted, r, partial))
            partial.commit(cursor, len(rows) - len(skipped), skipped)
            tell(partial.mark)
        partial.finish(assemble(partial.file) if assemble else None)
    mark = partial.mark
    return Exported(
        file=str(wanted.path),
        format=wanted.format.id,
        runs=mark.runs,
        bytes=wanted.path.stat().st_size,
        skipped=mark.skipped,
        is_resumed=partial.is_resumed,
    )


def _pages(
    client: Client, wanted: Export, mark: Mark
) -> Iterator[tuple[Sequence[Row], str | None]]:
    """Yield the remaining pages, each with the cursor of the next one."""
    runs = wanted.runs
    left = None if runs.limit is None else max(0, runs.limit - mark.runs - len(mark.skipped))
    walk = PageWalk(runs.path, mark.filters, left, read_rows, mark.cursor, PAGE_RUNS)
    while (request := walk.next_request()) is not None:
        reply = client.transport.ask(request)
        with reading_from(client.url):
            rows = walk.take(reply)
        yield rows, walk.cursor


def _write(client: Client, wanted: Export, row: Row, partial: PartialFile) -> bool:
    """Write a run, a line or two; write nothing and return ``False`` if it has been deleted."""
    file, start = partial.file, partial.file.tell()
    if wanted.format.writer:
        file.write(orjson.dumps(row) + b"\n")
    request = _request(wanted.format, row)
    if client.transport.ask(request, file).status == NOT_FOUND:
        file.seek(start)
        file.truncate()
        return False
    file.write(b"\n")
    return True


def _request(wanted: Format, row: Row) -> Request:
    trace_id, project = row["trace_id"], row["project"]
    line = formats_of(Of.RUN)[wanted.line]
    if Via.PATH in line.via:
        request = calls.written_at(line.path, trace_id, project=project).request
    else:
        request = calls.document(trace_id, project=project, format=line.id).request
    return replace(request, expected=frozenset({OK, NOT_FOUND}))
