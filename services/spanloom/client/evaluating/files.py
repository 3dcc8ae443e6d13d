"""Reads runs from a file in any known format, and items of a dataset from JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.client.evaluating.given import Given, Unread
from spanloom.client.transfer.items import Spans, read_items
from spanloom.client.transfer.parts import read_parts
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.otlp import Traces
from spanloom.core.exchange.values import parse
from spanloom.core.formats.readers import Refused
from spanloom.evaluation.files.items import Item, read_item
from spanloom.evaluation.files.judging import RunToJudge, run_to_judge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanloom.core.exchange.sources import Source
    from spanloom.core.formats.json_bytes import Json


def runs_of_file(path: Path, source: Source, project: str | None) -> Iterator[Given]:
    """Yield the runs in a file and the items that are not runs, then runs made from its spans.

    ``project`` is the project of runs that name none. The spans of all traces are held in memory,
    but only one document at a time.
    """
    traces = Traces(project)
    for found, share in read_items(path, source, project, as_new=False):
        if isinstance(found, Refused):
            yield Given(Unread(found.place, found.reason), share)
        elif isinstance(found, Spans):
            try:
                traces.add(found.groups)
            except InvalidRequestError as error:
                yield Given(Unread(found.place, str(error)), share)
        else:
            yield Given(_run(found.place, found.document, project), share)
    for stored in traces.documents():
        yield Given(run_to_judge(orjson.loads(stored.document), project or ""), 1.0)


def _run(place: str, document: Json, project: str | None) -> RunToJudge | Unread:
    try:
        return run_to_judge(document, project or "")
    except (AttributeError, TypeError, ValueError) as error:  # members of unexpected types
        return Unread(place, f"it is no document of a run: {error}")


def items_of_file(path: Path) -> Iterator[Item | Unread]:
    """Yield the items of a file of JSON lines or one array, and the invalid rows."""
    for part in read_parts(path, lambda _: True):
        if part.fault or part.is_message:
            yield Unread(part.place, part.fault or "it is no JSON")
            continue
        try:
            yield read_item(parse(part.read)[0])
        except InvalidRequestError as error:
            yield Unread(part.place, str(error))
