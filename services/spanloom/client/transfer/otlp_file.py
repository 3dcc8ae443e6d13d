"""OTLP in files, piece by piece, each of them a request that a receiver takes.

Read are a JSON document, JSON lines and length-prefixed protobuf as the Collector's file exporter
writes them, and one protobuf message; any of them compressed by gzip. What is in a file is told by
its first bytes, not by its name.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import orjson
from google.protobuf.message import DecodeError

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.otlp import resource_spans_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PIECE_BYTES = 4 * 1024 * 1024
"""About what a request may have: a receiver takes 64 MiB, and gRPC's neighbours 4."""
MESSAGE_BYTES = 1024 * 1024 * 1024
"""A longer one is no message."""
PROJECT = "spanloom.project"
_GZIP, _BOM = b"\x1f\x8b", b"\xef\xbb\xbf"
_TAG = b"\x0a"
"""With which a message begins that has spans; the length of one shorter than 160 MiB does not.
It is a line break, too, so a file that begins with one is no JSON lines."""

Bytes = BinaryIO | gzip.GzipFile
Group = dict[str, Any]  # an item of resourceSpans, as JSON has it


class Piece(NamedTuple):
    """Spans of a file, ready to be sent."""

    place: str
    """Where they stand: ``line 3``."""
    body: bytes
    spans: int


class Unreadable(NamedTuple):
    """A part of a file that is not OTLP."""

    place: str
    reason: str


def read_pieces(path: Path, project: str | None = None) -> Iterator[Piece | Unreadable]:
    """Yield what is in a file; with ``project`` as spans of that one, whatever they say."""
    with path.open("rb") as file:
        is_gzip = file.read(2) == _GZIP
    with gzip.open(path) if is_gzip else path.open("rb") as file:
        for place, read in _parts(file):
            try:
                groups = _groups(read)
            except (ValueError, TypeError, DecodeError, InvalidRequestError) as error:
                yield Unreadable(place, str(error))
                continue
            given = groups if project is None else [_moved(group, project) for group in groups]
            for chosen, count in _split(given):
                yield Piece(place, orjson.dumps({"resourceSpans": chosen}), count)


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
        yield f"message {number}", message if len(message) == size else b"\xff"
        if len(message) != size:
            return


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def _groups(read: bytes) -> Sequence[Group]:
    """Return the items of ``resourceSpans``; raise for what has none."""
    if read[:1] == b"\xff":
        raise ValueError("it is cut off, or neither JSON nor OTLP's protobuf")
    if read.lstrip()[:1] not in {b"{", b"["}:
        return [orjson.loads(item) for item in resource_spans_json(read)]
    document = orjson.loads(read)
    if isinstance(document, dict) and "root_step" in document:
        raise ValueError("it is a trajectory, not its spans: export them with --format otlp")
    groups = document.get("resourceSpans", ()) if isinstance(document, dict) else None
    if not isinstance(groups, list | tuple) or (not groups and document):
        raise ValueError("it has no `resourceSpans`, so it is not OTLP's JSON")
    if not all(isinstance(group, dict) for group in groups):
        raise ValueError("`resourceSpans` has to be a list of objects")
    return groups


def _split(groups: Sequence[Group]) -> Iterator[tuple[Sequence[Group], int]]:
    """Yield groups of spans of about one size; a large one is split, its resource told again."""
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
    """Return the group as one of another project."""
    resource = dict(group.get("resource") or {})
    others = [a for a in resource.get("attributes") or () if a.get("key") != PROJECT]
    named = {"key": PROJECT, "value": {"stringValue": project}}
    return {**group, "resource": {**resource, "attributes": [*others, named]}}
