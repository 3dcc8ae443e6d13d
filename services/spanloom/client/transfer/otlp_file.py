"""Splits the content of a file into export requests that an OTLP receiver accepts.

Spans are sent unchanged; a document, in any readable format, is sent as spans that contain it
(``documents.py``). ``parts.py`` lists the kinds of files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.client.transfer.documents import Group, Run, groups_of, read_run
from spanloom.client.transfer.items import Spans, find_source, read_items
from spanloom.core.conventions.projects import PROJECT
from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.imported import text_attribute
from spanloom.core.formats.json_bytes import TOO_DEEP
from spanloom.core.formats.readers import Refused, Taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.core.exchange.sources import Source
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

PIECE_BYTES = 4 * 1024 * 1024
"""Approximate size of a request: a receiver accepts 64 MiB, gRPC servers by default 4 MiB."""


class Piece(NamedTuple):
    """Spans of a file as one export request."""

    place: str
    """The position in the file: ``line 3``."""
    body: bytes
    spans: int
    share: float
    """The fraction of the file read so far, from 0 to 1."""
    run: Run | None = None
    """The run whose document the spans contain; it may be split into several pieces."""
    item: int = 0
    """The number of the item in the file, which may be split into several pieces."""
    losses: Losses | None = None
    """The values that the run lacks because its format cannot represent them."""
    scores: Sequence[Json] = ()
    """Scores of the run in the file (``exchange/scored.py``)."""


class Unreadable(NamedTuple):
    """An item of a file that is neither OTLP nor a document that can be restored."""

    place: str
    reason: str
    share: float


def read_pieces(
    path: Path, project: str | None = None, source: Source | None = None, *, as_new: bool = False
) -> Iterator[Piece | Unreadable]:
    """Yield the requests for a file; ``project`` overrides the project in its spans.

    Without ``source`` the format is detected; ``as_new`` gives imported documents new ids.
    """
    source = find_source(path) if source is None else source
    for number, (found, share) in enumerate(read_items(path, source, project, as_new=as_new)):
        if isinstance(found, Refused):
            yield Unreadable(found.place, found.reason, share)
            continue
        try:
            for piece in _pieces(found, project):
                yield piece._replace(share=share, item=number)
        except orjson.JSONEncodeError:  # the value can be parsed, but not serialized
            yield Unreadable(found.place, TOO_DEEP, share)
        except (ValueError, TypeError, InvalidRequestError) as error:
            yield Unreadable(found.place, str(error), share)


def _pieces(found: Taken | Spans, project: str | None) -> Iterator[Piece]:
    run, groups = _contents(found, project)
    of = run.project if run else project
    moved = groups if of is None else [_moved(group, of) for group in groups]
    losses = found.losses if isinstance(found, Taken) else None
    scores = found.scores if isinstance(found, Taken) else ()
    for chosen, count in _split(moved):
        body = orjson.dumps({"resourceSpans": chosen})
        yield Piece(found.place, body, count, 0.0, run, 0, losses, scores)


def _contents(found: Taken | Spans, project: str | None) -> tuple[Run | None, Sequence[Group]]:
    """Return the run if it is a document, and the items of ``resourceSpans``."""
    if isinstance(found, Spans):
        return None, found.groups
    run = read_run(found.document, project)
    return run, groups_of(run)


def _split(groups: Sequence[Group]) -> Iterator[tuple[Sequence[Group], int]]:
    """Yield groups of spans of similar size; a large group is split, and its resource repeated."""
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
    """Yield groups of one scope and at most ``PIECE_BYTES``, with counts of spans and bytes."""
    for group in groups:
        for scope in group.get("scopeSpans", ()):
            for spans, length in _slices(scope.get("spans", ())):
                yield {**group, "scopeSpans": [{**scope, "spans": spans}]}, len(spans), length


def _slices(spans: Sequence[Any]) -> Iterator[tuple[Sequence[Any], int]]:  # parsed JSON
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
    """Return the group with ``project`` as the project in its resource."""
    resource = dict(group.get("resource") or {})
    others = [a for a in resource.get("attributes") or () if a.get("key") != PROJECT]
    attributes = [*others, text_attribute(PROJECT, project)]
    return {**group, "resource": {**resource, "attributes": attributes}}
