"""An HTTP endpoint: the handler for a path, and the format of its responses and errors.

Each protocol defines its own endpoints (``otlp/door.py``, ``cozeloop.py``,
``langfuse/ingestion.py``). Responses have the format that the SDK expects, so that it logs no
errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.status import Encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.intake.admission import Reservation


class Received(NamedTuple):
    """A completely received request."""

    body: bytes
    """The decompressed body."""
    head: RequestHead
    project: str
    """The project of the API key; empty if each resource names its project."""
    share: Reservation
    """The bytes in flight reserved for the request until its response is sent.

    A handler that converts the body to another form reserves the bytes of that form too.
    """


class Accepted(NamedTuple):
    """The response to an accepted request, and the name of the outcome for the metrics."""

    answer: Answer
    outcome: str = "success"


class Door(NamedTuple):
    """The endpoint for one path."""

    signal: str
    """Name of the signal in the metrics."""
    take: Callable[[Received], Accepted]
    """Handles a request; blocks until the accepted spans are fsynced."""
    refuse: Callable[[Exception, RequestHead], Answer] = answer_error
    """Returns the response to a request whose handling failed."""
    reads: frozenset[Encoding] | None = frozenset(Encoding)
    """Accepted content types; ``None`` for any."""
    method: str = "POST"


def find_door(doors: Mapping[str, Door], path: str) -> Door | None:
    """Return the endpoint for a path; a segment ``{name}`` in ``doors`` matches any text."""
    if (door := doors.get(path)) is not None:
        return door
    parts = path.split("/")
    found = (door for pattern, door in doors.items() if _fits(pattern, parts))
    return next(found, None)


def _fits(pattern: str, parts: list[str]) -> bool:
    if "{" not in pattern:
        return False
    wanted = pattern.split("/")
    return len(wanted) == len(parts) and all(
        (bool(part) if name.startswith("{") else name == part)
        for name, part in zip(wanted, parts, strict=True)
    )


JSON_ONLY = frozenset({Encoding.JSON})
