"""Raw spans: requests in, the spans of a trace out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey


LONGEST_APPEND_S = 600
"""An ``append`` that takes longer stores nothing. Discovery of changes looks back further."""


class Signal(StrEnum):
    """The kind of content of a spooled request."""

    SPANS = "spans"
    CONTENT_EVENTS = "content_events"
    """GenAI content from log records, as spans: the parent is the span that the content is of."""


@dataclass(frozen=True, slots=True)
class SpooledRequest:
    """One accepted export request on its way from the spool to the store."""

    seq: int
    """Grows with each accepted request of a spool (microseconds since the epoch, never
    twice, never backwards); it becomes the version of the request's spans."""
    project: str
    """From the API key; empty where the resource decides."""
    accepted_at_ns: int
    body: bytes
    """A validated ``ExportTraceServiceRequest``; arrays and key-value lists among attribute
    values also carry their JSON text (``proto/README.md``)."""
    span_count: int
    signal: Signal = Signal.SPANS


class SpanWriter(Protocol):
    """Stores accepted export requests."""

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """Store all spans of the requests, or raise; returns only after they are durable.

        Idempotent: the same requests again change nothing. A span sent again in a later
        request replaces the earlier one, but an open copy never replaces a finished span
        (``Span.is_finished``). After an error nothing, some or all of the spans
        may be stored; calling again with the same requests repairs that. Stored rows become
        visible within ``LONGEST_APPEND_S`` after the time under which discovery finds them.
        """


class TracePart(NamedTuple):
    """A trace, or as much of it as the reader's limit allows."""

    spans: list[Span]
    span_count: int
    """How many spans are stored of the trace."""
    events_left_out: int
    """How many content events of the trace were not read."""
    newest_seq: int
    """The newest version among all of them, read or not."""


class Arrived(NamedTuple):
    """What has arrived of a trace."""

    spans: int
    """How many spans, repeats included."""
    newest_seq: int = 0
    """The newest sequence; 0 is unknown. The span that it brought may be gone: an open copy of a
    finished span counts for nothing."""


NOTHING_ARRIVED = Arrived(0)


class Read(NamedTuple):
    """How much of a trace a build read; grows with every span or newer version that is read."""

    items: int
    """How many spans and content events."""
    ranks: int
    """The sum of their ranks (``RowVersion``), each plus one."""

    @property
    def mark(self) -> str:
        """The two numbers as text of a fixed width, which orders as they do."""
        return f"{self.items:08x}{self.ranks:026x}"


NOTHING_READ = Read(0, 0)


class SpanReader(Protocol):
    """Reads the spans of traces; a key names the project."""

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """Return what has arrived of these traces.

        Reads that follow return at least these: the count is recorded in ``Progress``.
        """

    def read_spans(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
        """Return every span of the traces, each in its newest version, in no particular order.

        The content events of a span are among its events, after its own, in the order of time;
        the span's version is then the newest of both.
        A trace without spans has no entry. If one request has a span twice, one of them is
        returned, the same for every reader. Of a finished span and open copies of it the finished
        one is returned, whatever came last.
        """

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """Return at most ``limit`` spans of a trace, and as many content events.

        These are the spans without a parent, then the others, each by (start, span id); events by
        (time, span id, event id). Otherwise like ``read_spans``. The number of rows built depends
        on the limit; what the engine reads to choose them grows with the trace (see ADR 018).
        """
