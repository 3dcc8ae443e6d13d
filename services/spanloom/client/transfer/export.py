"""Writes the runs of a list into a file, or a folder, and resumes an interrupted export.

``partial.py`` describes the files on disk until the export is finished. Each document needs its own
request until the API returns many documents in one response.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from io import BytesIO
from pkgutil import resolve_name
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.client.calls import runs as calls
from spanloom.client.calls.walks import PageWalk, Row, read_rows
from spanloom.client.request import NOT_ACCEPTABLE, NOT_FOUND, OK, reading_from
from spanloom.client.transfer.output import PARQUET, ROWS
from spanloom.client.transfer.partial import Folder, Mark, Page, PartialFile, bytes_of
from spanloom.core.exchange.files import Layout
from spanloom.core.exchange.reports import DELETED, Report, skip
from spanloom.core.exchange.sources import CANONICAL
from spanloom.core.formats.entry import Filed, Of, Via
from spanloom.core.formats.losses import LOSSES, Code, Losses, read_header
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.client.calls.walks import Listing
    from spanloom.client.client import Client
    from spanloom.client.request import Reply, Request
    from spanloom.core.formats.entry import Format
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.records.run import Run


Assemble: TypeAlias = "Callable[[IO[bytes]], Path]"
"""Makes a table from the written lines, and returns its path."""
PAGE_RUNS = 100
"""The export is synced to disk after this many runs."""


@dataclass(frozen=True, slots=True)
class Export:
    """The runs to write, the format and the file."""

    runs: Listing[Run]
    asked: Mapping[str, Any]  # JSON values
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
    skipped: Sequence[Json]
    """Runs that were left out: trace id, version and reason, a code or ``deleted``."""
    is_resumed: bool
    losses: Mapping[str, int] = field(default_factory=dict)
    """Number of values of the runs that the format cannot represent, keyed by code."""


def export(
    client: Client,
    wanted: Export,
    on_progress: Callable[[Mark], None],
    report: Callable[[Report], None] = lambda _: None,
) -> Exported:
    """Write the file; calls ``on_progress`` after each page, and ``report`` at the end.

    Called again with the same export after an interruption, it resumes. Raises ``ExportError`` if
    it cannot continue, ``NotInstalledError`` for a table without its library.
    """
    assemble = _assembly(wanted)
    target = wanted.format.target(wanted.path)
    query = {**wanted.asked, "format": wanted.format.id, "url": client.url}
    if not wanted.format.suffix:
        target.parent.mkdir(parents=True, exist_ok=True)
    with PartialFile(target, Mark(query, wanted.runs.filters)) as partial:
        writing = _Writing(client, wanted, partial)
        for rows, cursor in pages_of(client, wanted.runs, partial.mark):
            writing.write(rows, cursor)
            on_progress(partial.mark)
        done = _report(partial, wanted.format.id)
        for name, content in wanted.format.side_files_of(target.name).items():
            target.with_name(name).write_bytes(content)
        partial.finish(writing.whole(assemble))
    report(done)
    return Exported(
        file=str(wanted.path),
        format=wanted.format.id,
        runs=partial.mark.runs,
        bytes=bytes_of(target),
        skipped=done.skipped,
        is_resumed=partial.is_resumed,
        losses=dict(sorted(partial.mark.losses.items())),
    )


def _assembly(wanted: Export) -> Assemble | None:
    """Return the function that converts the written lines to a table; ``None`` for other formats.

    The library for the table is loaded here.
    """
    if wanted.format.writer:
        written: Assemble = wanted.format.load_writer()
        return written
    is_table = wanted.format.has_rows and wanted.path.suffix == PARQUET
    return resolve_name(ROWS) if is_table else None


def _report(partial: PartialFile, to: str) -> Report:
    """Return the report on all runs; a loss has its run's id, but not the position in the run."""
    done = Report(CANONICAL, to, partial.mark.runs)
    for note in partial.notes():
        if "skipped" in note:
            done.skipped.append(note["skipped"])
        else:
            done.lose(note["lost"]["trace_id"], losses_of(note["lost"]["counts"]))
    return done


def losses_of(counts: Mapping[str, int]) -> Losses:
    """Return losses by code, without their positions."""
    lost = Losses()
    for code, n in counts.items():
        lost.note(Code(code), times=n)
    return lost


def pages_of(
    client: Client, runs: Listing[Run], mark: Mark
) -> Iterator[tuple[Sequence[Row], str | None]]:
    """Yield the remaining pages, each with the cursor of the next page."""
    left = None if runs.limit is None else max(0, runs.limit - mark.runs - mark.skipped)
    walk = PageWalk(runs.path, mark.filters, left, read_rows, mark.cursor, PAGE_RUNS)
    while (request := walk.next_request()) is not None:
        reply = client.transport.ask(request)
        with reading_from(client.url):
            rows = walk.take(reply)
        yield rows, walk.cursor


class _Writing:
    """Writes pages of runs into the file of an export, or into its folder."""

    def __init__(self, client: Client, wanted: Export, partial: PartialFile) -> None:
        self._client, self._format, self._partial = client, wanted.format, partial
        self._layout = Layout(wanted.format.filed, partial.mark.items)
        self._folder: Folder | None = None
        if wanted.format.filed is Filed.FOLDER:
            suffix = formats_of(Of.RUN)[wanted.format.line].suffix
            self._folder = Folder(wanted.path, suffix, is_resumed=bool(partial.mark.cursor))
        self._home = partial.mark.home

    def write(self, rows: Sequence[Row], cursor: str | None) -> None:
        """Write a page and sync it to disk."""
        page = Page()
        for row in rows:
            self._home = self._home or row["project"]
            reply = self._add(row)
            if reply.status == OK:
                page.runs += 1
                page.lose(row["trace_id"], read_header(reply.headers.get(LOSSES.lower(), "")))
            else:
                page.skip(skip(row["trace_id"], row.get("version") or 0, reason_of(reply)))
        self._partial.commit(cursor, page, self._layout.items, self._home)

    def whole(self, assemble: Assemble | None) -> Path | None:
        """Write the end of the file; return the file or folder that replaces it, if any."""
        if self._folder is not None:
            return self._folder.partial
        self._partial.file.write(self._layout.end)
        if assemble is None:
            return None
        self._partial.file.flush()
        return assemble(self._partial.file)

    def _add(self, row: Row) -> Reply:
        """Write a run; write nothing if it was deleted, or cannot be written in this format."""
        request = request_of(self._format, row)
        if self._format.filed is Filed.LINES:
            return self._add_lines(request, row)
        body = BytesIO()
        reply = self._client.transport.ask(request, body)
        if reply.status != OK:
            return reply
        if self._folder is not None:
            self._folder.add(row["trace_id"], row["project"], self._home, body.getvalue())
        else:
            self._partial.file.write(self._layout.add(body.getvalue()))
        return reply

    def _add_lines(self, request: Request, row: Row) -> Reply:
        """Write a run as it arrives, so that only a chunk of it is in memory."""
        file, start = self._partial.file, self._partial.file.tell()
        if self._format.writer:
            file.write(orjson.dumps(row) + b"\n")
        reply = self._client.transport.ask(request, file)
        if reply.status == OK:
            file.write(b"\n")
        else:
            file.seek(start)
            file.truncate()
        return reply


def reason_of(reply: Reply) -> str:
    """Return why a run is left out: a code of ``losses.py``, or ``deleted``."""
    return DELETED if reply.status == NOT_FOUND else str(orjson.loads(reply.body).get("reason"))


def request_of(wanted: Format, row: Row) -> Request:
    """Return the request for a run, in the format that a file of ``wanted`` has for each run."""
    trace_id, project = row["trace_id"], row["project"]
    line = formats_of(Of.RUN)[wanted.line]
    if Via.PATH in line.via:
        request = calls.written_at(line.path, trace_id, project=project).request
    else:
        request = calls.document(trace_id, project=project, format=line.id).request
    expected = frozenset({OK, NOT_FOUND, NOT_ACCEPTABLE})
    return replace(request, expected=expected, media_type=line.media_type)
