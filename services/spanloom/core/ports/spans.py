"""The port for storing and reading spans. Input: export requests. Output: the spans of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Event, Span, TraceKey


LONGEST_APPEND_S = 600
"""Maximum seconds that an ``append`` may take; discovery reads changes further back than that."""


class Signal(StrEnum):
    """The content of a spooled request."""

    SPANS = "spans"
    CONTENT_EVENTS = "content_events"
    """GenAI content from log records, encoded as child spans of the span to which it belongs."""


@dataclass(frozen=True, slots=True)
class SpooledRequest:
    """One accepted export request on its way from the spool to the store."""

    seq: int
    """The sequence, in µs since the epoch; larger for each request that a spool accepts.

    The row versions of the request's spans are computed from it.
    """
    project: str
    """The project of the API key; if empty, each resource has its project."""
    accepted_at_ns: int
    body: bytes
    """A validated ``ExportTraceServiceRequest``.

    Attribute values that are arrays or key-value lists have their JSON text added
    (``proto/README.md``).
    """
    span_count: int
    signal: Signal = Signal.SPANS


class SpanWriter(Protocol):
    """Stores accepted export requests."""

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """Store all spans of the requests, or raise; return only after they are durable.

        Idempotent: storing the same requests again changes nothing. A span sent again in a later
        request replaces the earlier version, but an open copy never replaces a finished span
        (``Span.is_finished``). After an error none, some or all of the spans may be stored; another
        call with the same requests stores the rest. Rows become visible at most
        ``LONGEST_APPEND_S`` after the second at which discovery looks for them.
        """


class Request(NamedTuple):
    """A request that contained spans or content events of a trace."""

    seq: int
    is_events: bool
    """Whether the request contained content events instead of spans."""
    items: int
    """How many distinct spans, or events, it contained.

    0 if the ids are not known, because an older release stored the request, or if the request was
    only stored so that the trace is built again.
    """
    spans: int
    """How many spans it contained, as counted in the table of changes."""


class Ids(NamedTuple):
    """The ids of the spans or events in a request, as numbers (``core.coverage``)."""

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
    """How many spans the requests contained in total; spans sent again count again."""
    digest: int = 0
    """A fingerprint of the requests and their contents."""

    @property
    def newest_seq(self) -> int:
        """The newest sequence of a request with spans; 0 if there is none."""
        return max((request.seq for request in self.requests if request.spans), default=0)


NOTHING_ARRIVED = Arrived()


class Read(NamedTuple):
    """How much of a trace a build read; grows with each span, and with newer row versions."""

    items: int
    """The number of spans and content events."""
    ranks: int
    """The sum over all items of the sequence, plus 1, plus 2^50 for a finished span.

    Therefore a newer version of a span, or its end, makes the sum larger.
    """

    @property
    def mark(self) -> str:
        """The read mark: ``items`` and ``ranks`` as a text of fixed width, so that it sorts."""
        return f"{self.items:08x}{self.ranks:026x}"


NOTHING_READ = Read(0, 0)


class Contents(NamedTuple):
    """The spans and content events of a trace as stored, before events are added to spans."""

    spans: Mapping[str, Span]
    """The current version of each span, keyed by its id."""
    events: Mapping[tuple[str, str], int]
    """The newest sequence of each content event, keyed by span id and event id."""


NO_CONTENTS = Contents({}, {})


class Unplaced(NamedTuple):
    """An evaluation result from a log record whose span was not read."""

    span_id: str
    """The id of the span that the result names, which has not arrived; empty if none."""
    event: Event


class Traces(dict["TraceKey", "list[Span]"]):
    """The spans of traces; a trace without spans has no entry."""

    def __init__(self, spans: Mapping[TraceKey, list[Span]] | None = None) -> None:
        """Start with these spans; the caller sets the other attributes."""
        super().__init__(spans or {})
        self.contents: dict[TraceKey, Contents] = {}
        """The spans and events that were read of each trace, including traces with only events."""
        self.unplaced: dict[TraceKey, Sequence[Unplaced]] = {}
        """Evaluation results without a span, keyed by trace, including traces with only events."""


class TracePart(NamedTuple):
    """The spans and events of a trace that were read; not all if there are more than the limit."""

    spans: list[Span]
    span_count: int
    """The number of stored spans of the trace."""
    events_left_out: int
    """How many content events of the trace were not read."""
    newest_seq: int
    """The newest sequence among all spans and events of the trace, even if not read."""
    read: Read = NOTHING_READ
    """How much of the trace is stored, even if not all of it was read."""
    is_whole: bool = False
    """Whether everything that had arrived before was visible in the store."""
    unlisted: Mapping[int, int] = MappingProxyType({})
    """Number of spans and events, keyed by sequence, if no known request has the sequence."""
    unplaced: Sequence[Unplaced] = ()
    """Evaluation results without a span."""


class SpanReader(Protocol):
    """Reads the spans of traces; a ``TraceKey`` includes the project."""

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Arrived]:
        """Return the requests that have arrived for these traces; no entry if nothing arrived.

        A later read may not return all of their spans, because the rows of an ``append`` become
        visible table by table. ``core.coverage`` compares the spans read with these requests.
        """

    def read_ids(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Ids]]:
        """Return the ids of the spans in each request for these traces, if they are known."""

    def whole_builds(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Return the ``Arrived.digest`` of each trace's last whole build (``Build.is_whole``)."""

    def read_spans(self, keys: Sequence[TraceKey]) -> Traces:
        """Return every span of the traces, each in its newest version, in no particular order.

        The content events of a span are appended to the span's events, in the order of time; the
        span's sequence is the newest of its own and theirs. A trace without spans has no entry. If
        a request has a span twice, always the same one is returned. Of a finished span and open
        copies of it, the finished span is returned, whichever arrived last.
        """

    def read_unplaced(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Sequence[Unplaced]]:
        """Return evaluation results that name a response id instead of a trace.

        They are stored with a trace id that ``conventions.evaluations.trace_of_response`` derives
        from the response id; ``keys`` have such trace ids. Most keys have no entry.
        """

    def read_part(self, key: TraceKey, limit: int) -> TracePart:
        """Return at most ``limit`` spans of a trace, and as many content events.

        Spans without a parent come first, then the others, both ordered by (start, span id); events
        are ordered by (time, span id, event id). The result is otherwise as from ``read_spans``,
        and ``is_whole`` is set by comparing what is stored with what had arrived. The number of
        returned rows depends on the limit; the number of rows that ClickHouse reads to select them
        grows with the trace (see ADR 018).
        """
