"""Short ways to declare a format: the fields that all formats of a subject have alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.entry import JSON, NDJSON, Format, Of, Via

if TYPE_CHECKING:
    from collections.abc import Sequence


def document_with_file(
    name: str,
    description: str,
    writer: str,
    *,
    lines: str,
    file: str = "",
    reader: str = "",
    needs_spans: bool = False,
) -> Sequence[Format]:
    """Declare a format of one run, and the file with a line for each of many runs.

    ``lines`` describes the file, ``file`` is its id if that is another.
    """
    document = Format(
        id=name,
        of=Of.RUN,
        media_type=JSON,
        suffix=".json",
        description=description,
        via=Via.QUERY,
        writer=writer,
        needs_spans=needs_spans,
    )
    return document, file_of_runs(file or name, lines, line=name, reader=reader, streams=True)


def file_of_runs(
    name: str,
    description: str,
    *,
    line: str,
    media_type: str = NDJSON,
    suffix: str = ".jsonl",
    writer: str = "",
    reader: str = "",
    magic: bytes = b"",
    extra: str = "",
    streams: bool = False,
) -> Format:
    """Declare a file of many runs; it has lines of JSON unless another media type is given."""
    return Format(
        id=name,
        of=Of.RUNS,
        media_type=media_type,
        suffix=suffix,
        description=description,
        via=Via.SHELL,
        line=line,
        writer=writer,
        reader=reader,
        magic=magic,
        extra=extra,
        streams=streams,
    )


def rows_as(name: str, media_type: str, description: str, writer: str, extra: str = "") -> Format:
    """Declare a form of the rows of a list."""
    return Format(
        id=name,
        of=Of.ROWS,
        media_type=media_type,
        suffix=f".{name}",
        description=description,
        via=Via.ACCEPT,
        writer=writer,
        streams=True,
        extra=extra,
    )


def annotations_as(
    name: str,
    description: str,
    writer: str,
    *,
    media_type: str = NDJSON,
    suffix: str = ".jsonl",
    via: Via = Via.QUERY | Via.SHELL,
    reader: str = "",
    path: str = "",
    extra: str = "",
    counts_corrections: bool = False,
) -> Format:
    """Declare a format of annotations; it has lines of JSON unless another media type is given."""
    return Format(
        id=name,
        of=Of.ANNOTATIONS,
        media_type=media_type,
        suffix=suffix,
        description=description,
        via=via,
        writer=writer,
        reader=reader,
        path=path,
        extra=extra,
        counts_corrections=counts_corrections,
        streams=True,
    )
