"""Writes the runs of a list into a file; memory holds one page and one piece of a document.

Until the API returns many documents in one response, each is a request of its own (``_copy``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.client.answers import reading_from
from spanloom.client.calls import runs as calls
from spanloom.client.calls.walks import PageWalk, Row, read_rows
from spanloom.client.request import NOT_FOUND, OK
from spanloom.client.transfer.partial import Mark, PartialFile
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
