"""Exports scores as OTLP evaluation results."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.client.errors import ClientError
from spanloom.client.request import Request
from spanloom.client.transfer.score_rows import AT_ONCE
from spanloom.core.scoring.otlp import is_writable, write_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spanloom.client.transfer.score_rows import Row
    from spanloom.client.transport import Transport


class Exported(NamedTuple):
    """The number of scores converted to log records, and of those that cannot be."""

    written: int
    skipped: int
    """Number of scores of conversations and items, or of steps whose ids OTLP cannot hold."""


def export_results(rows: Iterable[Row], put: Callable[[bytes], None]) -> Exported:
    """Pass scores to ``put`` as export requests in OTLP/JSON, with ``AT_ONCE`` scores in each."""
    written = skipped = 0
    waiting = iter(rows)
    while some := list(islice(waiting, AT_ONCE)):
        fit = [row for row in some if is_writable(row)]
        if fit:
            put(write_results(fit))
        written += len(fit)
        skipped += len(some) - len(fit)
    return Exported(written, skipped)


def send_results(transport: Transport, body: bytes) -> None:
    """Send a request of log records; raises ``ClientError`` unless all of it is accepted."""
    headers = {"content-type": "application/json"}
    reply = transport.ask(Request("POST", "/v1/logs", headers=headers, body=body))
    partly = orjson.loads(reply.body or b"{}").get("partialSuccess") or {}
    if int(partly.get("rejectedLogRecords") or 0):
        raise ClientError(f"the receiver rejects scores: {partly.get('errorMessage', '')}")
