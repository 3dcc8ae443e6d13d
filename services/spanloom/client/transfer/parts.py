"""Reads files in parts: lines, messages or rows, each with its place.

Supported are a JSON document, JSON lines and length-prefixed protobuf as the Collector's file
exporter writes them, one protobuf message, any of them compressed by gzip, and Parquet and Arrow as
``spanloom export`` writes them. The first bytes of a file decide its format, not its name.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import orjson

from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanloom.core.formats.entry import Format

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
