"""The port of raw spans. Input: requests. Output: the spans of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Event, Span, TraceKey


LONGEST_APPEND_S = 600
"""Seconds after which an ``append`` stores nothing; discovery of changes looks back further."""


class Signal(StrEnum):
    """The kind of content of a spooled request."""

    SPANS = "spans"
    CONTENT_EVENTS = "content_events"
    """GenAI content from log records, as child spans of the span to which the content belongs."""


@dataclass(frozen=True, slots=True)
class SpooledRequest:
    """One accepted export request on its way from the spool to the store."""

    seq: int
    """Grows with each accepted request of a spool; becomes the version of the request's spans.

    In microseconds since the epoch, unique and increasing.
    """
    project: str
    """The project of the API key; if empty, the resource decides."""
    accepted_at_ns: int
    body: bytes
    """A validated ``ExportTraceServiceRequest``.

    Arrays and key-value lists among attribute values also carry their JSON text
    (``proto/README.md``).
    """
    span_count: int
    signal: Signal = Signal.SPANS


class SpanWriter(Protocol):
    """Stores accepted export requests."""

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """Store all spans of the requests, or raise; return only after they are durable.

        Idempotent: the same requests again change nothing. A span sent again in a later request
        replaces the earlier one, but an open copy never replaces a finished span
        (``Span.is_finished``). After an error none, some or all of the spans may be stored; calling
        again with the same requests repairs that. Stored rows become visible within
        ``LONGEST_APPEND_S`` after the time under which discovery finds them.
        """


class Request(NamedTuple):
    """A request that contained spans or content events of a trace."""

    seq: int
    is_events: bool
    """Whether it contained content events instead of spans."""
    items: int
    """How many distinct spans, or events, its ids name.

    0 if the ids are not known (an older release stored the request), or if the request only causes
    the trace to be built again.
    """
    spans: int
    """How many spans it contained, as counted by the change that discovery found."""


class Ids(NamedTuple):
    """The ids of the spans or events of a request, as numbers (``core.coverage``)."""

    seq: int
    is_events: bool
    finished: Sequence[int]
    """Ids of finished spans, or of content events."""
    opened: Sequence[int]
    """Ids of open copies of spans."""


class Arrived(NamedTuple):
    """The requests that have arrived for a trace."""

    requests: Sequence[Request] = ()
    """Every stored request, in no particular order; a request that is stored twice counts once."""
    spans: int = 0
    """How many spans the requests contained in total, including repeats."""
    digest: int = 0
    """A fingerprint of the requests and of their contents."""

    @property
    def newest_seq(self) -> int:
        """The newest sequence of a request with spans; 0 if there is none."""
        return max((request.seq for request in self.requests if request.spans), default=0)


NOTHING_ARRIVED = Arrived()


class Read(NamedTuple):
    """How much of a trace a build read; grows with every span or newer version that is read."""

    items: int
    """The number of spans and content events."""
    ranks: int
    """The sum of the ranks of all items, each plus one.

    A finished span ranks 2^50 above its sequence.
    """

    @property
    def mark(self) -> str:
        """Both numbers as text of a fixed width, which sorts like the numbers."""
        return f"{self.items:08x}{self.ranks:026x}"


NOTHING_READ = Read(0, 0)


class Contents(NamedTuple):
    """The spans and content events of a trace as stored, before they are joined."""

    spans: Mapping[str, Span]
    """The current version of each span, by its id."""
    events: Mapping[tuple[str, str], int]
    """The newest sequence of each content event, by the span's id and the event's id."""


NO_CONTENTS = Contents({}, {})


class Unplaced(NamedTuple):
    """An evaluation result from a log record whose span was not read."""

    span_id: str
    """The id of its span, which has not arrived; empty if it names no span."""
    event: Event


class Traces(dict["TraceKey", "list[Span]"]):
    """The spans of traces; a trace without spans has no entry."""

    def __init__(self, spans: Mapping[TraceKey, list[Span]] | None = None) -> None:
        """Start with these spans; the other members are filled in later."""
        super().__init__(spans or {})
        self.contents: dict[TraceKey, Contents] = {}
        """The spans and events that were read of each trace, including traces with only events."""
        self.unplaced: dict[TraceKey, Sequence[Unplaced]] = {}
        """Evaluation results without a span, by trace, including traces with only events."""


class TracePart(NamedTuple):
    """A trace, or as many of its spans and events as the reader's limit allows."""

    spans: list[Span]
    span_count: int
    """The number of stored spans of the trace."""
    events_left_out: int
    """How many content events of the trace were not read."""
    newest_seq: int
    """The newest current version among all of them, read or not."""
    read: Read = NOTHING_READ
    """How much of the trace is stored, read or not."""
    is_whole: bool = False
    """Whether at least everything that had arrived before is stored."""
    unlisted: Mapping[int, int] = MappingProxyType({})
    """Number of spans and events by sequence, for sequences without a known request."""
    unplaced: Sequence[Unplaced] = ()
    """Evaluation results without a span."""


class SpanReader(Protocol):
    """Reads the spans of traces; a key includes the project."""

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """Return what has arrived for these traces; traces for which nothing arrived have no entry.

        Later reads may not return all of it, because the rows of an ``append`` become visible table
        by table. ``core.coverage`` compares the two.
        """

    def read_ids(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Ids]]:
        """Return the ids in each request for these traces, where they are known."""

    def whole_builds(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the ``Arrived.digest`` of each trace's last whole build, if one is recorded."""

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        """Return every span of the traces, each in its newest version, in no particular order.

        The content events of a span are among its events, after its own, in the order of time; the
        span's version is then the newest of both. A trace without spans has no entry. If a request
        has a span twice, one of the two is returned, the same for every reader. Of a finished span
        and open copies of it the finished span is returned, whichever arrived last.
        """

    def read_unplaced(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Unplaced]]:
        """Return the evaluation results that wait under the ids of responses.

        ``conventions.evaluations.trace_of_response`` makes the ``keys``; most have no entry.
        """

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """Return at most ``limit`` spans of a trace, and as many content events.

        Spans without a parent come first, then the others, each by (start, span id); events are
        ordered by (time, span id, event id). Otherwise it works like ``read_spans``, and it
        compares what is stored with what had arrived. The number of rows built depends on the
        limit; the number of rows that the engine reads to choose them grows with the trace (see ADR
        018).
        """
