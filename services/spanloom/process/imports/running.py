"""Imports one file: writes it to disk, has a child process read it, and stores its runs."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import orjson

from spanloom.client.address import Address
from spanloom.client.errors import ApiError, ClientError
from spanloom.client.transfer.otlp_file import Piece
from spanloom.client.transfer.run_scores import Imported, refuse_scores
from spanloom.client.transfer.scores import send_scores
from spanloom.client.transfer.sending import Sending
from spanloom.client.transport import Transport
from spanloom.client.tries import PASSING, Patience
from spanloom.core.errors import InvalidRequestError, OverloadedError, SpanloomError
from spanloom.core.formats.otlp import span_ids_of
from spanloom.core.model.access import Reach
from spanloom.process.imports.messages import Begin
from spanloom.process.imports.reading import FileReading
from spanloom.process.imports.receiver import OwnReceiver
from spanloom.process.imports.shared import STOPPING, no_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.client.transfer.documents import Run
    from spanloom.client.transfer.otlp_file import Unreadable
    from spanloom.client.transfer.score_rows import PlacedRow
    from spanloom.client.transfer.scores import SentScores
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.importing import Line, Wanted
    from spanloom.process.imports.shared import Shared

CHILD_BYTES = 1 << 30
"""Memory limit of the process that reads a file."""
CHILD_S = 600.0
"""CPU time limit, in seconds, of the process that reads a file."""
MOST_REJECTED = 10_000
"""Rejections after which the rest of a file is not read."""
LINES_AT_ONCE = 500
SPANS_AT_ONCE = 2_000
"""Stored spans that are compared with spans of the file at one time."""
PAUSE_S = 0.25
"""Approximate interval in seconds in which the current counts are reported."""
NO_SCORES = "the key lacks the scope `annotate`, which scores need"
_MANY = f"more than {MOST_REJECTED:,} items are rejected: the rest of the file is not read"


class FileImport:
    """A ``RunningImport``; the file is in a temporary folder until the import ends."""

    def __init__(
        self,
        shared: Shared,
        wanted: Wanted,
        exporter: Exporter,
        limits: Limits,
        on_end: Callable[[FileImport], None],
    ) -> None:
        """Start with an empty file; raises ``OverloadedError`` if it cannot be created."""
        self._shared, self._wanted, self._on_end = shared, wanted, on_end
        self._path = shared.new_file()
        receiver = OwnReceiver(exporter, limits, wanted.key_project, shared.ensure_open)
        transport = Transport(Address("http://localhost", ""), Patience(), receiver)
        self._sending = Sending(transport, self._find, self._store_scores, self._find_spans)
        self._reading: FileReading | None = None
        self._is_closed = self._has_named_scores = False
        self._progress = _Progress(wanted.project)
        self._lines = self._read()
        self._error: SpanloomError | None = None

    def write(self, piece: bytes) -> None:
        """See ``RunningImport``."""
        self._shared.ensure_room(self._wanted.key_project)
        try:
            with self._path.open("ab") as file:
                file.write(piece)
        except OSError as error:
            raise no_file(error) from error

    def next_lines(self) -> Sequence[Line] | None:
        """See ``RunningImport``."""
        found: list[Line] = []
        until = time.monotonic() + PAUSE_S
        try:
            if self._error is not None:
                raise self._error
            for line in self._lines:
                found.append(line)
                if len(found) >= LINES_AT_ONCE or time.monotonic() >= until:
                    return [*found, self._progress.counts()]
        except SpanloomError as error:
            closed = self._shared.is_closed  # closing the importer also killed the child
            self._error = OverloadedError(STOPPING) if closed else _as_own(error)
            if not found:
                raise self._error from error
            found.append(self._progress.counts())
        return found or None

    def close(self) -> None:
        """See ``RunningImport``."""
        self._is_closed = True
        if self._reading is not None:
            self._reading.kill()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._on_end(self)

    def _find(self, run: Run) -> Mapping[str, object] | None:
        found = self._shared.documents.get(run.trace_id, Reach.only(run.project))
        if found is None:
            return None
        document: Mapping[str, object] = orjson.loads(found)
        return document

    def _find_spans(self, key: TraceKey) -> Iterator[bytes]:
        after, spans = "", self._shared.spans
        while data := spans.read_otlp(key, after=after, limit=SPANS_AT_ONCE):
            yield data
            after = max(span_ids_of(data))

    def _store_scores(self, rows: Sequence[PlacedRow]) -> SentScores:
        if (taker := self._wanted.scores) is not None:
            return send_scores(taker, rows)
        refused = refuse_scores(rows, NO_SCORES)
        if self._has_named_scores:
            refused.refused.clear()
        self._has_named_scores = True
        return refused

    def _read(self) -> Iterator[Line]:
        self._reading = reading = FileReading(_begin(self._path, self._wanted))
        if self._is_closed:
            reading.kill()
        progress = self._progress
        try:
            for piece in self._sending.take(reading.pieces(), progress.done):
                yield from progress.lines(piece, reading.traces)
                self._sending.report.rejected.clear()  # the response has them; maybe millions
                if progress.rejected > MOST_REJECTED:
                    raise InvalidRequestError(_MANY)
        except InvalidRequestError:
            if not self._shared.is_closed:
                self._sending.finish(progress.done)  # stores the scores of the accepted runs
            yield from progress.rejections()
            raise
        yield from progress.rejections()
        yield {"end": True, "format": reading.source, **progress.counts(), "share": 1.0}


class _Progress:
    """The progress of an import, as lines of the response."""

    def __init__(self, project: str) -> None:
        self._project = project
        self.done = Imported("")
        self.rejected, self._share = 0, 0.0
        self._unchanged, self._accepted, self._item, self._trace = 0, 0, -1, ""

    def lines(self, piece: Piece | Unreadable, traces: Sequence[str]) -> Iterator[Line]:
        """Yield the state of each run of a ``Piece``, and the rejections."""
        done = self.done
        rejected, self._share = self.rejections(), piece.share
        if isinstance(piece, Piece) and piece.run is not None:
            is_rejected = any(one["place"] == piece.place for one in rejected)
            yield from self._run(piece, piece.run, is_rejected=is_rejected)
        elif (is_taken := done.accepted_spans > self._accepted) or (
            done.unchanged_runs > self._unchanged
        ):
            for trace in traces:
                if trace != self._trace:
                    state = "taken" if is_taken else "unchanged"
                    yield _run(trace, self._project, piece.place, state)
                self._trace = trace
        self._unchanged, self._accepted = done.unchanged_runs, done.accepted_spans
        yield from rejected

    def rejections(self) -> Sequence[Line]:
        """Return the rejections since the last call."""
        rejected, self.done.rejected = self.done.rejected, []
        self.rejected += len(rejected)
        return rejected

    def counts(self) -> Line:
        """Return the counts so far; ``share`` is the read fraction of the file, from 0 to 1."""
        done = self.done
        return {
            "share": self._share,
            "accepted_spans": done.accepted_spans,
            "rejected_spans": done.rejected_spans,
            "unchanged_runs": done.unchanged_runs,
            "accepted_scores": done.accepted_scores,
            "rejected_scores": done.rejected_scores,
            "rejected": self.rejected,
            "losses": done.losses,
        }

    def _run(self, piece: Piece, run: Run, *, is_rejected: bool) -> Iterator[Line]:
        if piece.item == self._item or is_rejected:
            return
        self._item = piece.item
        state = "unchanged" if self.done.unchanged_runs > self._unchanged else "taken"
        yield _run(run.trace_id, run.project, piece.place, state)


def _run(trace_id: str, project: str, place: str, state: str) -> Line:
    return {"trace_id": trace_id, "project": project, "place": place, "state": state}


def _begin(path: Path, wanted: Wanted) -> Begin:
    return Begin(path, wanted.format, wanted.project, wanted.as_new, CHILD_BYTES, CHILD_S)


def _as_own(error: SpanloomError) -> SpanloomError:
    """Return an error of the client library as the corresponding error of this service."""
    if isinstance(error, ApiError) and error.status in PASSING:
        return OverloadedError(str(error), error.retry_after_s or 1.0)
    return InvalidRequestError(str(error)) if isinstance(error, ClientError) else error
