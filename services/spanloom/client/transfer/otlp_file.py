"""Splits the content of a file into export requests that an OTLP receiver accepts.

Supported are a JSON document, JSON lines and length-prefixed protobuf as the Collector's file
exporter writes them, one protobuf message, any of them compressed by gzip, and Parquet and Arrow as
``spanloom export`` writes them. The first bytes of a file decide its format, not its name.

Spans are sent unchanged; a canonical document is sent as spans that carry it (``documents.py``).
"""

from __future__ import annotations

import gzip
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import orjson
from google.protobuf.message import DecodeError

from spanloom.client.transfer.documents import Group, Run, groups_of, read_run
from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.entry import Of
from spanloom.core.formats.imported import text_attribute
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.core.formats.readers import Located, Reading, Refused
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.core.formats.entry import Format
    from spanloom.core.formats.readers import Reader


MESSAGE_BYTES = 1024 * 1024 * 1024
"""The maximum length of a message; a longer one is not taken for a message."""
CUT_OFF = b"\xff"
"""Stands in for a truncated message: no message begins like this."""
_GZIP, _BOM = b"\x1f\x8b", b"\xef\xbb\xbf"
_HEAD_BYTES = 16
"""At least as long as the magic bytes of any format."""
_TAG = b"\x0a"
"""The first byte of a message with spans; no length prefix below 160 MiB begins with it.
It is also a line break, so a file that begins with one is not JSON lines."""

Bytes = BinaryIO | gzip.GzipFile


class Part(NamedTuple):
    """A line, a message or a row of a file, or all of it."""

    place: str
    """For people: ``line 3``."""
    read: bytes
    share: float
    """The share of the file read so far, from 0 to 1."""


def read_parts(path: Path) -> Iterator[Part]:
    """Yield the parts of a file; none for an empty one."""
    with path.open("rb") as raw:
        head = raw.read(_HEAD_BYTES)
        raw.seek(0)
        if (table := _find_table(head)) is not None:
            for number, document, share in table.load_reader()(path):
                yield Part(f"row {number}", document, share)
            return
        size = path.stat().st_size
        with gzip.open(raw) if head.startswith(_GZIP) else raw as file:
            for place, read in _parts(file):
                yield Part(place, read, min(1.0, raw.tell() / size))


def _find_table(head: bytes) -> Format | None:
    """Return the table format whose files begin with these bytes, if there is one."""
    known = formats_of(Of.RUNS).values()
    return next((table for table in known if table.magic and head.startswith(table.magic)), None)


def _parts(file: Bytes) -> Iterator[tuple[str, bytes]]:
    """Yield each line, or message, with its place."""
    first = file.readline().removeprefix(_BOM)
    if first[:1] == _TAG:
        yield "the message", first + file.read()
    elif first.lstrip()[:1] in {b"{", b"["}:
        yield from _texts(first, file)
    elif first:
        file.seek(0)
        yield from _messages(file)


def _texts(first: bytes, file: Bytes) -> Iterator[tuple[str, bytes]]:
    if not _is_json(first):
        yield "the document", first + file.read()
        return
    number, line = 1, first
    while line:
        if line.strip():
            yield f"line {number}", line
        number, line = number + 1, file.readline()


def _messages(file: Bytes) -> Iterator[tuple[str, bytes]]:
    number = 0
    while head := file.read(4):
        number += 1
        size = int.from_bytes(head, "big")
        message = file.read(size) if len(head) == 4 and size <= MESSAGE_BYTES else b""
        yield f"message {number}", message if len(message) == size else CUT_OFF
        if len(message) != size:
            return


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


PIECE_BYTES = 4 * 1024 * 1024
"""Approximate size of a request: a receiver accepts 64 MiB, gRPC servers by default 4 MiB."""
PROJECT = "spanloom.project"


class Piece(NamedTuple):
    """Spans of a file as one export request."""

    place: str
    """The place in the file: ``line 3``."""
    body: bytes
    spans: int
    share: float
    """The share of the file read so far, from 0 to 1."""
    run: Run | None = None
    """The run whose document the spans carry; it may take several pieces."""


class Unreadable(NamedTuple):
    """A part of a file that is neither OTLP nor a document that can be restored."""

    place: str
    reason: str
    share: float


def read_pieces(path: Path, project: str | None = None) -> Iterator[Piece | Unreadable]:
    """Yield the pieces of a file; ``project`` overrides the project that its spans name."""
    for place, read, share in read_parts(path):
        try:
            run, groups = _contents(read, project)
        except (ValueError, TypeError, DecodeError, InvalidRequestError) as error:
            yield Unreadable(place, str(error), share)
            continue
        of = run.project if run else project
        given = groups if of is None else [_moved(group, of) for group in groups]
        for chosen, count in _split(given):
            yield Piece(place, orjson.dumps({"resourceSpans": chosen}), count, share, run)


def _contents(read: bytes, project: str | None) -> tuple[Run | None, Sequence[Group]]:
    """Return the run if it is a document, and the items of ``resourceSpans``; raise if neither."""
    if read == CUT_OFF:
        raise ValueError("it is cut off, or neither JSON nor OTLP's protobuf")
    if read.lstrip()[:1] not in {b"{", b"["}:
        return None, [orjson.loads(item) for item in resource_spans_json(read)]
    value = orjson.loads(read)
    for reader in _item_readers():
        if reader.fits(value):
            (found,) = reader.read([Located("", value)], Reading("", project or "default"))
            if isinstance(found, Refused):
                raise InvalidRequestError(found.reason)
            run = read_run(found.document, project)
            return run, groups_of(run)
    return None, read_groups(value)


@cache
def _item_readers() -> Sequence[Reader]:
    """Return the readers of documents; data that fits none of them is read as OTLP."""
    known = formats_of(Of.RUNS).values()
    return [
        one.load_reader() for one in known if one.is_read and not one.magic and one.line != "otlp"
    ]


def read_groups(document: object) -> Sequence[Group]:
    """Return the items of ``resourceSpans``; raises ``ValueError`` if there are none."""
    groups = document.get("resourceSpans", ()) if isinstance(document, dict) else None
    if not isinstance(groups, list | tuple) or (not groups and document):
        raise ValueError("it has no `resourceSpans`, and is no canonical document either")
    if not all(isinstance(group, dict) for group in groups):
        raise ValueError("`resourceSpans` has to be a list of objects")
    return groups


def _split(groups: Sequence[Group]) -> Iterator[tuple[Sequence[Group], int]]:
    """Yield groups of spans of similar size; a large one is split, its resource repeated."""
    chosen: list[Group] = []
    count = size = 0
    for group, spans, length in _runs(groups):
        if chosen and size + length > PIECE_BYTES:
            yield chosen, count
            chosen, count, size = [], 0, 0
        chosen.append(group)
        count, size = count + spans, size + length
    if chosen:
        yield chosen, count


def _runs(groups: Sequence[Group]) -> Iterator[tuple[Group, int, int]]:
    """Yield groups of one scope and at most one piece each, with the number of spans and bytes."""
    for group in groups:
        for scope in group.get("scopeSpans", ()):
            for spans, length in _slices(scope.get("spans", ())):
                yield {**group, "scopeSpans": [{**scope, "spans": spans}]}, len(spans), length


def _slices(spans: Sequence[Any]) -> Iterator[tuple[Sequence[Any], int]]:  # as JSON has them
    begin = size = 0
    for at, span in enumerate(spans):
        length = len(orjson.dumps(span))
        if at > begin and size + length > PIECE_BYTES:
            yield spans[begin:at], size
            begin, size = at, 0
        size += length
    if begin < len(spans):
        yield spans[begin:], size


def _moved(group: Mapping[str, Any], project: str) -> Group:
    """Return the group moved into another project."""
    resource = dict(group.get("resource") or {})
    others = [a for a in resource.get("attributes") or () if a.get("key") != PROJECT]
    attributes = [*others, text_attribute(PROJECT, project)]
    return {**group, "resource": {**resource, "attributes": attributes}}
