"""Raw spans: requests in, the spans of a trace out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey


LONGEST_APPEND_S = 600
"""An ``append`` that takes longer stores nothing. Whoever looks for changes looks back further."""


class Signal(StrEnum):
    """What a spooled request holds."""

    SPANS = "spans"
    CONTENT_EVENTS = "content_events"
    """GenAI content from log records, in the form of spans: parents are the spans they tell of."""


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
    values carry their JSON text beside them (``proto/README.md``)."""
    span_count: int
    signal: Signal = Signal.SPANS


class SpanWriter(Protocol):
    """Stores what was accepted."""

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """Store all spans of the requests, or raise; returns only after they are durable.

        Idempotent: the same requests again change nothing. A span sent again in a later
        request replaces the earlier one. After an error nothing, some or all of the spans
        may be stored; calling again with the same requests repairs that. What was stored becomes
        visible within ``LONGEST_APPEND_S`` after the time that discovery finds it under.
        """


class TracePart(NamedTuple):
    """A trace, or as much of it as its reader has room for."""

    spans: list[Span]
    span_count: int
    """How many spans are stored of the trace."""
    events_left_out: int
    """How many content events of the trace were not read."""
    newest_seq: int
    """The newest version among all of them, read or not."""


class SpanReader(Protocol):
    """Gives back the spans of traces; a key names the project."""

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return how many spans have arrived of these traces, repeats included.

        What is read afterwards holds at least these: the count belongs into ``Progress``.
        """

    def read_spans(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
        """Return every span of the traces, each in its newest version, in no particular order.

        Content events that tell of a span are among its events, behind its own, in the order of
        time; the span's version is then the newest of both.
        A trace without spans has no entry. Of a span that one request has twice one stays,
        the same for every reader.
        """

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """Return at most ``limit`` spans of a trace, and as many content events.

        These are the spans without a parent, then the others, each by (start, span id); events by
        (time, span id, event id). Else like ``read_spans``. The rows that are built follow the
        limit; what the engine reads to choose them grows with the trace (see ADR 018).
        """
