"""Files to a receiver of OTLP: each piece durable when it is acknowledged, sent twice or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson

from spanloom.client.errors import BY_STATUS, ApiError
from spanloom.client.request import OK, Reply, Request
from spanloom.client.transfer.otlp_file import Unreadable, read_pieces

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spanloom.client.transfer.otlp_file import Piece
    from spanloom.client.transport import Transport

TRACES = "/v1/traces"
_JSON = {"Content-Type": "application/json"}
_REFUSED = frozenset({400, 413, 415})
"""The piece is at fault; the next may be taken."""
_ANSWERED = _REFUSED | {OK, 401, 403, 404, 429, 503}


@dataclass(slots=True)
class Imported:
    """What became of a file."""

    file: str
    accepted_spans: int = 0
    rejected_spans: int = 0
    rejected: list[dict[str, str]] = field(default_factory=list)
    """What was not taken: its place and the reason."""


def send_file(
    transport: Transport,
    path: Path,
    project: str | None,
    tell: Callable[[Imported], None],
) -> Imported:
    """Send what is in a file; ``tell`` is told after each piece how far it is.

    A span is known by its ids: a file that is sent again, or was interrupted, makes no second one.
    """
    done = Imported(str(path))
    for piece in read_pieces(path, project):
        if isinstance(piece, Unreadable):
            done.rejected.append(piece._asdict())
        else:
            _send(transport, piece, done)
        tell(done)
    return done


def _send(transport: Transport, piece: Piece, done: Imported) -> None:
    request = Request("POST", TRACES, headers=_JSON, body=piece.body, expected=_ANSWERED)
    reply = transport.ask(request)
    answer = orjson.loads(reply.body or b"{}")
    if reply.status in _REFUSED:
        _reject(done, piece, piece.spans, str(answer.get("message")))
        return
    if reply.status != OK:
        raise _problem(reply, str(answer.get("message", "")))
    partly = answer.get("partialSuccess") or {}
    refused = int(partly.get("rejectedSpans") or 0)
    done.accepted_spans += piece.spans - refused
    if refused:
        _reject(done, piece, refused, str(partly.get("errorMessage", "")))


def _reject(done: Imported, piece: Piece, spans: int, reason: str) -> None:
    done.rejected_spans += spans
    done.rejected.append({"place": piece.place, "reason": reason})


def _problem(reply: Reply, message: str) -> ApiError:
    kind = BY_STATUS.get(reply.status, ApiError)
    said = message or f"the receiver answers {reply.status}"
    return kind(reply.status, said, said, (), reply.retry_after_s)
