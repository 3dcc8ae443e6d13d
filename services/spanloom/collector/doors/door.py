"""What a front door over HTTP is: who takes the body sent to a path and how it is answered.

Each door's folder makes its own (``otlp/door.py``, ``cozeloop/door.py``, ``langfuse/door.py``).
An SDK that is answered in the form it knows logs no errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.status import Encoding

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.intake.admission import Reservation


class Received(NamedTuple):
    """A request that has arrived whole."""

    body: bytes
    """Without its content coding."""
    head: RequestHead
    project: str
    """The project that its key names; empty where each resource names its own."""
    share: Reservation
    """Its share of the bytes in flight, held until it is answered; grown by what it becomes."""


class Taken(NamedTuple):
    """The answer to a request that was taken, and what the metrics call that."""

    answer: Answer
    outcome: str = "success"


class Door(NamedTuple):
    """What serves one path."""

    signal: str
    """What the metrics call what comes in."""
    take: Callable[[Received], Taken]
    """Handles a request; blocks until what it accepts is fsynced."""
    refuse: Callable[[Exception, RequestHead], Answer] = answer_error
    """Answers a request that was not taken."""
    reads: frozenset[Encoding] | None = frozenset(Encoding)
    """Content types it takes; ``None`` for any."""


JSON_ONLY = frozenset({Encoding.JSON})
