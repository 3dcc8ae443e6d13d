"""Splits a file into its records, from which runs are read.

The file may be a JSON document, JSON lines, a JSON array, OTLP protobuf or a table, gzipped or not.
This is detected from the first bytes, not from the file name.
"""

from __future__ import annotations

import gzip
import re
import zlib
from pkgutil import resolve_name
from typing import IO, TYPE_CHECKING, NamedTuple

from spanloom.client.errors import ClientError
from spanloom.core.exchange.values import EMPTY, THE_FILE, is_wide, split
from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanloom.core.exchange.values import IsContainer
    from spanloom.core.formats.entry import Format

_FIRST_PRINTED = 0x20
MESSAGE_BYTES = (_FIRST_PRINTED << 24) - 1
"""Maximum length of a message, 512 MiB; a greater length prefix would look like text."""
CUT_OFF = "it is cut off, or neither JSON nor OTLP's protobuf"
_GZIP, _BOM = b"\x1f\x8b", b"\xef\xbb\xbf"
_HEAD_BYTES = 16
"""At least as long as the magic bytes of any format."""
_TAG = b"\x0a"
"""The first byte of a message with spans, with which no length prefix below 160 MiB begins.

It is also a line break, with which a JSON file may begin.
"""
_JSON = re.compile(rb"[\n\r\t ]+[\[{][\n\r\t\x20-\xff]*\Z")
"""The beginning of a JSON file whose first line is blank; a message soon has other bytes."""


class UnreadableFileError(ClientError):
    """A file begins like a table or an archive, but is not one, or is damaged."""


class Part(NamedTuple):
    """A line, a message, an item or a row of a file, or the whole file."""

    place: str
    """The position in the file, for messages: ``line 3``."""
    read: bytes
    share: float
    """The fraction of the file read so far, from 0 to 1."""
    fault: str = ""
    """The reason why the part cannot be read; empty if it can be read."""
    is_message: bool = False
    """Whether the part is OTLP protobuf instead of JSON."""


def find_table(path: Path) -> Format | None:
    """Return the table or archive format of a file by its first bytes; ``None`` for other files."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    formats = formats_of(Of.RUNS).values()
    return next((table for table in formats if table.magic and head.startswith(table.magic)), None)


def read_parts(path: Path, is_container: IsContainer) -> Iterator[Part]:
    """Yield the parts of a file; if reading fails, the last part has the reason."""
    place = ""
    try:
        for part in _parts_of(path, is_container):
            place = part.place
            yield part
    except (OSError, ClientError) as error:
        fault = why(error)
    else:
        return
    yield Part(f"after {place}" if place else THE_FILE, b"", 1.0, fault)


def why(error: Exception) -> str:
    """Return why a file cannot be read, in a line."""
    message = error.strerror if isinstance(error, OSError) else None
    return " ".join((message or str(error)).split())


def _parts_of(path: Path, is_container: IsContainer) -> Iterator[Part]:
    table = find_table(path)
    if table is not None and table.unpacker:
        for place, text, fault in resolve_name(table.unpacker)(path):
            yield Part(place, text, 0.0, fault)
    elif table is not None:
        for number, document, share in table.load_reader()(path):
            yield Part(f"row {number}", document, share)
    else:
        yield from _in_bytes(path, is_container)


def _in_bytes(path: Path, is_container: IsContainer) -> Iterator[Part]:
    size, place = path.stat().st_size, THE_FILE
    with path.open("rb") as raw:
        is_packed = raw.read(2) == _GZIP
        raw.seek(0)
        with gzip.open(raw) if is_packed else raw as file:
            try:
                for place, read, fault, is_message in _parts(file, is_container):
                    share = min(1.0, raw.tell() / size) if size else 1.0
                    yield Part(place, read, share, fault, is_message)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                where = place if place == THE_FILE else f"after {place}"
                yield Part(where, b"", 1.0, f"it is no whole gzip file: {error}")


def _parts(
    file: IO[bytes] | gzip.GzipFile, is_container: IsContainer
) -> Iterator[tuple[str, bytes, str, bool]]:
    """Yield position, bytes, why it is unreadable, and whether it is a message, of each part."""
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    text = head.removeprefix(_BOM)
    if not text:
        yield THE_FILE, b"", EMPTY, False
    elif is_wide(head) or _is_text(text):
        for place, read, fault in split(file, is_container):  # type: ignore[arg-type]
            yield place, read, fault, False
    elif head[:1] == _TAG:
        yield "the message", file.read(MESSAGE_BYTES), "", True
    else:
        yield from _messages(file)


def _is_text(head: bytes) -> bool:
    """Return whether a file begins as JSON text, not with a protobuf tag or a length prefix."""
    if head[:1] == _TAG:
        return _JSON.match(head) is not None
    is_length = head[0] < _FIRST_PRINTED and head[4:5] in (b"", _TAG)
    return any(head[:4]) and not (is_length and head[:4].strip())


def _messages(file: IO[bytes] | gzip.GzipFile) -> Iterator[tuple[str, bytes, str, bool]]:
    number = 0
    while head := file.read(4):
        number += 1
        size = int.from_bytes(head, "big")
        message = file.read(size) if len(head) == 4 and size <= MESSAGE_BYTES else b""
        is_whole = len(message) == size
        yield f"message {number}", message if is_whole else b"", "" if is_whole else CUT_OFF, True
        if not is_whole:
            return
