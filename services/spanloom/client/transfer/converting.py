"""Converts files from one format of runs into another, without a store or a network."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import orjson
from pydantic import ValidationError

from spanloom.client.models import Trajectory
from spanloom.client.transfer.documents import groups_of, of_first, read_run
from spanloom.client.transfer.items import Spans, read_items
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.otlp import Traces
from spanloom.core.exchange.reports import Report, skip, version_of
from spanloom.core.exchange.scored import current
from spanloom.core.exchange.sources import OTLP
from spanloom.core.exchange.verdicts import verdicts_of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Losses, NotHeldError
from spanloom.core.formats.readers import Refused, Taken
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanloom.core.exchange.sources import Source
    from spanloom.core.formats.entry import Format
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.stored import RunWriter

Write: TypeAlias = "Callable[[str, str, bytes], None]"
"""Writes a run: its trace id, its project and its body in the other format."""
OnRefusal: TypeAlias = "Callable[[str, str, str], None]"
"""Called for an item that is left out: with the file, the position in it and the reason."""


@dataclass(slots=True)
class Conversion:
    """Converts one file after the other, and reports on all of them."""

    to: Format
    """The format of one run."""
    write: Write
    on_refusal: OnRefusal
    project: str | None = None
    report: Report = field(default_factory=lambda: Report("", ""))
    _traces: Traces = field(init=False)
    _files: dict[str, str] = field(default_factory=dict)
    """The last file with spans of a trace, keyed by trace id."""

    def __post_init__(self) -> None:
        """Start without spans."""
        self._traces = Traces(self.project)

    def convert(self, name: str, path: Path, source: Source) -> None:
        """Convert the runs of a file, and store its spans until all files are read."""
        for found, _ in read_items(path, source, self.project, as_new=False):
            if isinstance(found, Refused):
                self._refuse(name, found.place, found.reason)
            elif isinstance(found, Spans):
                self._collect(name, found)
            else:
                self._take(name, found)

    def finish(self) -> None:
        """Convert the traces of the stored spans."""
        for stored in self._traces.documents():
            trace_id = stored.view.id
            self._put(self._files[trace_id], trace_id, stored, Losses())

    def _collect(self, name: str, found: Spans) -> None:
        try:
            self._files.update(dict.fromkeys(self._traces.add(found.groups), name))
        except InvalidRequestError as error:
            self._refuse(name, found.place, str(error))

    def _take(self, name: str, found: Taken) -> None:
        try:
            _check(found.document)
        except InvalidRequestError as error:
            self._refuse(name, found.place, str(error))
            return
        spans = verdicts_of(found.document) if self.to.needs_spans else b"[]"
        scores = current(found.scores)
        if not self.to.has_scores:
            found.losses.note(Code.SCORES_DROPPED, "scores", len(scores))
            scores = ()
        self._put(name, found.place, Stored(dump(found.document), spans, scores), found.losses)

    def _put(self, name: str, place: str, stored: Stored, lost: Losses) -> None:
        trace_id = stored.view.id
        losses = Losses()
        losses.trace_id = trace_id
        try:
            body = self._body(stored, losses)
        except NotHeldError as error:
            version = version_of(stored.view.json)
            self.report.skipped.append(skip(trace_id, version, str(error.code)))
            self.on_refusal(name, place, f"skipped: {error}")
        except InvalidRequestError as error:
            self._refuse(name, place, str(error))
        else:
            self.write(trace_id, str(stored.view.extraction.project), body)
            self.report.written += 1
            for one in (lost, losses):
                self.report.lose(trace_id, one)

    def _body(self, stored: Stored, losses: Losses) -> bytes:
        if self.to.id == OTLP:
            return _carried(stored)
        write: RunWriter = self.to.load_writer()
        return write(stored, losses)

    def _refuse(self, name: str, place: str, reason: str) -> None:
        self.report.rejected.append({"place": place, "reason": reason})
        self.on_refusal(name, place, reason)


def _check(document: Json) -> None:
    """Raise ``InvalidRequestError`` with the error's position unless a document is canonical."""
    try:
        Trajectory.model_validate(document)
    except ValidationError as error:
        raise InvalidRequestError(of_first(error)) from error


def _carried(stored: Stored) -> bytes:
    """Return a run as OTLP: spans that contain it, from which it can be restored."""
    run = read_run(orjson.loads(stored.document), None)
    return dump({"resourceSpans": list(groups_of(run))})
