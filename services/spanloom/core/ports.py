"""What the pipeline asks of a store, as prose contracts.

``tests/contract`` holds one suite that every implementation passes: the embedded engine,
a ClickHouse server, and the in-memory fake. All methods are synchronous and may block; call
them from asynchronous code through a thread. Adapters raise only ``core.errors``:
``StoreUnavailableError`` for what may pass, ``StoreRejectedError`` for what never will.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.replay import Replay, Selection, StoredTrace
    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Status, Trajectory


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


@dataclass(frozen=True, slots=True)
class TraceChange:
    """A trace got spans: everything after a given sequence number, summed up."""

    key: TraceKey
    max_seq: int
    first_accepted_ns: int
    last_accepted_ns: int
    has_root: bool
    """Whether a span without parent is among them."""
    span_count: int = 0
    """How many spans arrived, repeats included."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the extractor has come with a trace."""

    key: TraceKey
    seq: int
    """The highest span version that went into the newest attempt."""
    status: Status
    attempts: int = 0
    """Failed attempts in a row."""
    arrived: int = 0
    """How many spans had arrived, repeats included, before the newest attempt began to read;
    0 is unknown."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the extractor needs to know of the stored trajectory."""

    key: TraceKey
    version: int
    fingerprint: str
    start_ns: int
    step_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class TrajectoryRecord:
    """A trajectory ready to be stored as a new version."""

    key: TraceKey
    version: int
    """The previous version plus one."""
    seq: int
    """The highest span version it was built from: of two records the higher one stays."""
    status: Status
    fingerprint: str
    trajectory: Trajectory
    document: bytes
    """The canonical JSON document, version and status included."""
    spans_document: bytes
    """The JSON list that ``/spans`` answers."""
    call_keys: Mapping[str, str]
    """Model step id to the fingerprint of its call; a call reported elsewhere has the same."""
    previous: Head | None = None
    """The head that this record replaces."""


class ModelCall(NamedTuple):
    """A stored model step, as far as finding a repeated report of it needs."""

    key: TraceKey
    step_id: str
    call_key: str
    start_ns: int
    end_ns: int
    is_bare: bool
    """Whether the call is all there is in its trace."""
    dialect: str = ""
    """The dialect that told of it; empty where an older version stored it."""


@dataclass(frozen=True, slots=True)
class TrajectoryFilter:
    """Which trajectories a list shows; ``None`` and empty mean any."""

    project: str | None = None
    start_from_ns: int | None = None
    """Root start at or after this time."""
    start_before_ns: int | None = None
    status: Status | None = None
    root_name: str | None = None
    has_error: bool | None = None
    agent_name: str | None = None
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position in a list, which the order of the list makes one."""

    start_ns: int
    trace_id: str
    project: str


@dataclass(frozen=True, slots=True)
class TrajectorySummary:
    """One line of a list."""

    key: TraceKey
    version: int
    status: Status
    root_name: str
    root_type: str
    start_ns: int
    duration_ns: int
    has_error: bool
    agent_names: Sequence[str]
    step_counts: Mapping[str, int]
    span_count: int
    input_tokens: int
    output_tokens: int
    duplicate_of: str
    """The trace that this one repeats, or empty."""
    dialects: Sequence[str] = field(default_factory=tuple)
    conversation_id: str = ""
    """The conversation that the run belongs to, or empty."""

    @property
    def cursor(self) -> Cursor:
        """The position just behind this line."""
        return Cursor(self.start_ns, self.key.trace_id, self.key.project)


class SpanStore(Protocol):
    """Raw spans, exactly as they were sent."""

    def append(self, requests: Sequence[SpooledRequest]) -> None:
        """Store all spans of the requests, or raise; returns only after they are durable.

        Idempotent: the same requests again change nothing. A span sent again in a later
        request replaces the earlier one. After an error nothing, some or all of the spans
        may be stored; calling again with the same requests repairs that.
        """

    def read_spans(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, list[Span]]:
        """Give every span of the traces, each in its newest version, in no particular order.

        Content events that tell of a span are among its events, behind its own, in the order of
        time; the span's version is then the newest of both.
        A trace without spans has no entry. Of a span that one request has twice one stays,
        the same for every reader.
        """

    def read_otlp(self, key: TraceKey) -> bytes:
        """Give the trace back as an OTLP ``TracesData`` message with every value in its type.

        Empty bytes if the trace is unknown. Spans are ordered by (start, span id).
        """

    def changes_since(self, seq: int) -> Sequence[TraceChange]:
        """Give every trace that got spans with a version above ``seq``.

        Anything whose ``append`` returned before the call is seen. What an ``append`` still
        under way has stored may or may not be.
        """

    def arrived(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """Give how many spans have arrived of these traces, repeats included.

        What is read afterwards holds at least these: the count belongs into ``Progress``.
        """

    def unextracted(self) -> Sequence[TraceChange]:
        """Give every trace with more than its progress tells, or whose progress is ``live``.

        More is a newer span, or more spans than had arrived: a collector that drains an old
        spool brings old sequences late. This is the truth that ``changes_since`` shortens; it reads
        the narrow tables whole.
        """


class TrajectoryStore(Protocol):
    """Trajectories, in their newest version."""

    def heads(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Head]:
        """Give what is stored of these traces; an unknown one has no entry."""

    def write(self, records: Sequence[TrajectoryRecord]) -> None:
        """Make each record the trace's current trajectory, unless a newer ``seq`` is stored.

        A reader sees the old or the new document, never a mixture. At the same ``seq`` the
        record written last stays.
        """

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """Remember how far these traces were extracted."""

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """Give the remembered progress; an unknown trace has no entry."""

    def document(self, trace_id: str, project: str | None = None) -> bytes | None:
        """Give the canonical document; without a project, that of the newest that has the trace."""

    def spans_document(self, trace_id: str, project: str | None = None) -> bytes | None:
        """Give the JSON list of what became of each span."""

    def list(
        self, where: TrajectoryFilter, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """Give up to ``limit`` summaries by (start, trace id, project), newest first."""

    def conversation(
        self, conversation_id: str, project: str | None, limit: int, after: Cursor | None = None
    ) -> Sequence[TrajectorySummary]:
        """Give up to ``limit`` of a conversation by (start, trace id, project), oldest first.

        A conversation is of one project; without one, those of all that have its id. The empty
        id is no conversation.
        """

    def find_calls(
        self, project: str, call_keys: Sequence[str], from_ns: int, until_ns: int
    ) -> Sequence[ModelCall]:
        """Give the project's model steps with these call keys that overlap the time range."""


class ReplayStore(Protocol):
    """What was asked to be extracted again, and how far that has come."""

    def count_traces(self, selection: Selection) -> int:
        """Give how many stored trajectories a selection has."""

    def traces_after(
        self, selection: Selection, after: TraceKey, limit: int
    ) -> Sequence[StoredTrace]:
        """Give up to ``limit`` traces of the selection behind a key, in the order of keys."""

    def record_replay(self, replay: Replay) -> None:
        """Remember how far a replay has come, unless a later step of it is known."""

    def replay(self, replay_id: str) -> Replay | None:
        """Give a replay as last recorded."""

    def unfinished_replays(self) -> Sequence[Replay]:
        """Give the replays that are not finished, oldest first."""


class ReadingStore(TrajectoryStore, ReplayStore, Protocol):
    """What the API asks of a store."""


class Store(SpanStore, ReadingStore, Protocol):
    """All of it, and its life cycle."""

    def ping(self) -> None:
        """Return if the store answers, else raise ``StoreUnavailableError``."""

    def close(self) -> None:
        """Release the store; a closed store is not used again."""
