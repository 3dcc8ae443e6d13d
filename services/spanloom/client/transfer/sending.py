"""Sends files to an OTLP receiver; acknowledged spans are durable, and may be sent again.

Before a document is sent, it is compared with the run that the service has stored; other spans are
compared with the stored spans.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import orjson

from spanloom.client.errors import BY_STATUS, ApiError
from spanloom.client.request import OK, Reply, Request
from spanloom.client.transfer.documents import compare
from spanloom.client.transfer.otlp_file import Piece, Unreadable, read_pieces
from spanloom.client.transfer.run_scores import Imported, RunScores
from spanloom.client.transfer.sent_spans import SentSpans
from spanloom.core.exchange.reports import Report
from spanloom.core.exchange.sources import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.client.transfer.documents import Run
    from spanloom.client.transfer.run_scores import StoreScores
    from spanloom.client.transfer.sent_spans import FindSpans
    from spanloom.client.transport import Transport
    from spanloom.core.exchange.sources import Source

TRACES = "/v1/traces"
_JSON = {"Content-Type": "application/json"}
_REFUSED = frozenset({400, 413, 415})
"""Statuses that reject one request; the next request may be accepted."""
_ANSWERED = _REFUSED | {OK, 401, 403, 404, 429, 503}
FindStored: TypeAlias = "Callable[[Run], Mapping[str, object] | None]"
"""Returns the stored document of a run, if the service has one."""


class Sending:
    """Sends files, one after the other, and reports on all of them."""

    def __init__(
        self,
        transport: Transport,
        find_stored: FindStored,
        store_scores: StoreScores,
        find_spans: FindSpans = lambda _: (),
    ) -> None:
        """Store the receiver, and the functions that query the service about runs and scores.

        By default ``find_spans`` finds nothing, so all spans outside documents are sent.
        """
        self._transport, self._find_stored = transport, find_stored
        self._spans = SentSpans(find_spans)
        self._scores = RunScores(store_scores)
        self._left_out: Run | None = None
        self._item = -1
        """The number of the current item."""
        self._last: Piece | None = None
        """The first piece of the current item, if that is a run."""
        self._is_rejected = False
        """Whether the current item is counted as rejected in the report."""
        self.report = Report("", CANONICAL)

    def send(
        self,
        path: Path,
        project: str | None,
        on_progress: Callable[[Imported, float], None],
        source: Source | None = None,
        *,
        as_new: bool = False,
    ) -> Imported:
        """Send the content of a file.

        Calls ``on_progress`` after each piece with the fraction read. Spans are identified by their
        ids, so sending a file again, or resuming it, creates no duplicates. ``source`` and
        ``as_new`` are the same as for ``read_pieces``. If sending ends early, the scores of the
        runs sent so far are stored.
        """
        done = Imported(str(path))
        try:
            for piece in self.take(read_pieces(path, project, source, as_new=as_new), done):
                on_progress(done, piece.share)
        except Exception:
            with suppress(Exception):  # the caller needs the first error
                self.finish(done)
            raise
        return done

    def take(
        self, pieces: Iterable[Piece | Unreadable], done: Imported
    ) -> Iterator[Piece | Unreadable]:
        """Send pieces, and yield each after ``done`` was updated with its result."""
        self._item = -1
        self._spans.begin()
        for piece in pieces:
            self._take(piece, done)
            yield piece
        self.finish(done)

    def _take(self, piece: Piece | Unreadable, done: Imported) -> None:
        if isinstance(piece, Piece) and piece.item != self._item:
            self._settle(done)  # before rejections of the new item are noted
        before = len(done.rejected)
        if isinstance(piece, Unreadable):
            done.rejected.append({"place": piece.place, "reason": piece.reason})
        else:
            self._send(piece, done)
        self._note(piece, done.rejected[before:])

    def _send(self, piece: Piece, done: Imported) -> None:
        is_first, self._item = piece.item != self._item, piece.item
        if is_first:
            self._begin(piece, done)
        if piece.run is not None and piece.run is self._left_out:
            return
        if piece.run is None and self._is_there(piece, done):
            return
        try:
            _send(self._transport, piece, done)
        except Exception:
            self._last = None  # the run was not sent completely: store no score of it
            raise

    def finish(self, done: Imported) -> None:
        """Store the collected scores of accepted runs; ``take`` does so at its end.

        Callers that stop ``take`` early have to call this method.
        """
        self._settle(done)
        self._scores.finish(done, self.report)

    def _begin(self, piece: Piece, done: Imported) -> None:
        """Count a new item as written, and compare its run with the stored run."""
        self.report.written += 1
        self._is_rejected = False
        if piece.run is None:
            return
        self._look_at(piece.run, piece.place, done)
        self._last = piece
        if piece.losses is not None and piece.losses.counts:
            self.report.lose(piece.run.trace_id, piece.losses)
            lost = Counter(done.losses) + Counter(dict(piece.losses.counts))
            done.losses = {str(code): lost[code] for code in sorted(lost)}

    def _is_there(self, piece: Piece, done: Imported) -> bool:
        """Return whether the service has all spans of a piece, and count its traces."""
        before = self._spans.unchanged_runs
        is_there = self._spans.has(piece.body)
        done.unchanged_runs += self._spans.unchanged_runs - before
        return is_there

    def _settle(self, done: Imported) -> None:
        """Store the scores of the previous run, if it was accepted."""
        piece, self._last = self._last, None
        if piece is None or not piece.scores:
            return
        if self._is_rejected:
            done.rejected_scores += len(piece.scores)
        else:
            self._scores.add(piece, done, self.report)

    def _note(self, piece: Piece | Unreadable, rejected: Sequence[dict[str, str]]) -> None:
        """Count an item as rejected, once, and not as written."""
        if not rejected or (isinstance(piece, Piece) and self._is_rejected):
            return
        self.report.rejected.append(rejected[0])
        if isinstance(piece, Piece):
            self.report.written -= 1
            self._is_rejected = True

    def _look_at(self, run: Run, place: str, done: Imported) -> None:
        """Skip a run that the service already has; reject it if the service has another version."""
        state = compare(run, self._find_stored(run))
        done.unchanged_runs += state.is_stored
        if state.conflict:
            done.rejected_spans += len(run.spans)
            done.rejected.append({"place": place, "reason": state.conflict})
        if state.is_stored or state.conflict:
            self._left_out = run


def _send(transport: Transport, piece: Piece, done: Imported) -> None:
    request = Request("POST", TRACES, headers=_JSON, body=piece.body, expected=_ANSWERED)
    reply = transport.ask(request)
    answer = orjson.loads(reply.body or b"{}")
    if reply.status in _REFUSED:
        _reject(done, piece, piece.spans, str(answer.get("message")))
        return
    if reply.status != OK:
        raise problem_of(reply, str(answer.get("message", "")))
    partly = answer.get("partialSuccess") or {}
    refused = int(partly.get("rejectedSpans") or 0)
    done.accepted_spans += piece.spans - refused
    if refused:
        _reject(done, piece, refused, str(partly.get("errorMessage", "")))


def _reject(done: Imported, piece: Piece, spans: int, reason: str) -> None:
    done.rejected_spans += spans
    done.rejected.append({"place": piece.place, "reason": reason})


def problem_of(reply: Reply, message: str) -> ApiError:
    """Return the error for a status that every request would get."""
    kind = BY_STATUS.get(reply.status, ApiError)
    text = message or f"the receiver answers {reply.status}"
    return kind(reply.status, text, text, (), reply.retry_after_s)
