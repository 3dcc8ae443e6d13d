"""Sends the runs of a list directly to another system, one after the other.

Targets are a self-hosted Invariant Explorer, which accepts runs as JSON lines, and OTLP receivers,
which accept spans.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Protocol

import orjson

from spanloom.client.request import OK, Request
from spanloom.client.transfer.export import losses_of, pages_of, reason_of, request_of
from spanloom.client.transfer.partial import Mark
from spanloom.client.transfer.scores import SentScores
from spanloom.client.transfer.sending import Sending, problem_of
from spanloom.core.exchange.reports import Report, skip
from spanloom.core.exchange.sources import CANONICAL, OTLP, Source
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import LOSSES, read_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.client.calls.walks import Listing, Row
    from spanloom.client.client import Client
    from spanloom.client.transport import Transport
    from spanloom.core.formats.entry import Format
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.records.run import Run

INVARIANT = "invariant"
PUSH = "/api/v1/push/trace"
_JSON = {"Content-Type": "application/json"}
_REFUSED = frozenset({400, 413, 422})
"""Statuses that reject one run; the next run may be accepted."""
_ANSWERED = _REFUSED | {OK, 401, 403, 404, 429, 503}


class Target(Protocol):
    """A system to which runs are sent."""

    def send(self, run: IO[bytes]) -> str:
        """Send a run in the target's format; return why it was refused, empty if accepted.

        Raises ``ClientError`` if the target can accept no run at all.
        """
        ...


@dataclass(frozen=True, slots=True)
class Explorer:
    """An Invariant Explorer, with a trace for each agent of a run.

    A run sent twice is stored twice.
    """

    transport: Transport
    dataset: str | None = None

    def send(self, run: IO[bytes]) -> str:
        """See ``Target``."""
        lines = orjson.loads(run.read())
        names = ("messages", "annotations", "metadata")
        body: Json = {name: [line[name] for line in lines] for name in names}
        if self.dataset is not None:
            body["dataset"] = self.dataset
        request = Request("POST", PUSH, headers=_JSON, body=dump(body), expected=_ANSWERED)
        reply = self.transport.ask(replace(request, is_repeatable=False))
        if reply.status == OK:
            return ""
        detail = str(orjson.loads(reply.body or b"{}").get("detail", ""))
        if reply.status not in _REFUSED:
            raise problem_of(reply, detail)
        return detail or f"it answers {reply.status}"


@dataclass(frozen=True, slots=True)
class Receiver:
    """An OTLP receiver over HTTP."""

    transport: Transport

    def send(self, run: IO[bytes]) -> str:
        """See ``Target``."""
        sending = Sending(self.transport, lambda _: None, lambda _: SentScores())
        done = sending.send(Path(run.name), None, lambda *_: None, Source(OTLP))
        return done.rejected[0]["reason"] if done.rejected else ""


def push(
    client: Client,
    runs: Listing[Run],
    known: Format,
    target: Target,
    on_progress: Callable[[int], None],
) -> Report:
    """Send the runs; calls ``on_progress`` with their number after each. Raises ``ClientError``."""
    report = Report(CANONICAL, known.id)
    for rows, _ in pages_of(client, runs, Mark({}, runs.filters)):
        for row in rows:
            with NamedTemporaryFile(prefix="spanloom-") as body:
                _push_one(client, row, known, target, report, body)
            on_progress(report.written)
    return report


def _push_one(
    client: Client, row: Row, known: Format, target: Target, report: Report, body: IO[bytes]
) -> None:
    trace_id = row["trace_id"]
    reply = client.transport.ask(request_of(known, row), body)
    if reply.status != OK:
        report.skipped.append(skip(trace_id, row.get("version") or 0, reason_of(reply)))
        return
    body.flush()
    body.seek(0)
    if reason := target.send(body):
        report.rejected.append({"place": trace_id, "reason": reason})
        return
    report.written += 1
    report.lose(trace_id, losses_of(read_header(reply.headers.get(LOSSES.lower(), ""))))
