"""Splits the content of a file into export requests that an OTLP receiver accepts.

Spans are sent unchanged; a canonical document is sent as spans that carry it (``documents.py``).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from google.protobuf.message import DecodeError

from spanloom.client.transfer.documents import Group, Run, groups_of, read_run
from spanloom.client.transfer.parts import CUT_OFF, read_parts
from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.entry import Of
from spanloom.core.formats.imported import text_attribute
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.core.formats.entry import ItemReader

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
            run = read_run(reader.to_document(value), project)
            return run, groups_of(run)
    return None, read_groups(value)


@cache
def _item_readers() -> Sequence[ItemReader]:
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
