"""The ports for building trajectories, in one process or with worker processes.

Spans are decoded, and trajectories encoded, without the store (``Codec``), so worker processes can
do that, while the process that has the store open only reads and writes bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.trajectory import Status, listed_start_ns
from spanloom.core.ports.builds import Build, Precedence, former_places
from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.spans import NOTHING_READ, Read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.annotations import ScoreStore
    from spanloom.core.ports.feed import FeedWriter
    from spanloom.core.ports.spans import SpanReader, Traces


class ReservedBuilds(NamedTuple):
    """What builders have reserved for a trace before they write a build.

    A builder reserves the rank, version number and list position of its build, so that no other
    build gets the same; the build may have been written since, or not.
    """

    rank: int = 0
    version: int = 0
    places: Sequence[int] = ()
    """The list positions (starts in ns) of reserved builds with ranks above the stored build's.

    The list of runs has them only if the builds were written.
    """
    contents: AbstractSet[str] = frozenset()
    """Fingerprints of builds that other builders are about to write over the stored build."""
    rivals: Sequence[Precedence] = ()
    """The precedence of reserved builds with other contents, which may be written at any time."""


NOTHING_RESERVED = ReservedBuilds()


@dataclass(frozen=True, slots=True)
class Head:
    """The data about a stored trajectory that the extractor needs.

    The version is 0 if a build is reserved, but none is stored.
    """

    key: TraceKey
    version: int
    seq: int
    """The newest sequence among its spans; 0 if no span could be parsed."""
    fingerprint: str
    start_ns: int
    step_ids: Sequence[str]
    span_count: int
    rank: int = 0
    read_mark: str = ""
    status: Status = Status.SETTLED
    extractor_version: str = ""
    before: Sequence[int] = ()
    """Former list positions (starts in ns) of the run, which the stored build has removed."""
    is_listed: bool = True
    """Whether lists have this version; they lack it if its writer died before writing the row."""
    reserved: ReservedBuilds = NOTHING_RESERVED

    @property
    def precedence(self) -> Precedence:
        """The precedence of the stored build, which decides whether another may replace it."""
        return Precedence.of(self.read_mark, self.status, self.extractor_version)

    @property
    def build(self) -> Build | None:
        """The stored build; ``None`` if there is none."""
        if not self.version:
            return None
        return Build(self.rank, self.version, self.fingerprint, self.precedence)

    @property
    def next_rank(self) -> int:
        """The lowest rank above all stored and reserved builds."""
        return max(self.rank, self.reserved.rank) + 1

    @property
    def next_version(self) -> int:
        """The lowest version number above all stored and reserved builds."""
        return max(self.version, self.reserved.version) + 1

    @property
    def places(self) -> Sequence[int]:
        """Every list position that a build of the trace may have, the newest first."""
        own = (self.start_ns, *self.before) if self.version else ()
        return (*self.reserved.places, *own)


ALWAYS_NS = 2**63 - 1
"""The end, in ns, of an unlimited time range, and of rows that every query has to find."""


class CallWindow(NamedTuple):
    """A query for calls with one key that ran at any time within a time range.

    The range never ends before it begins, even if a sender's clock is wrong.
    """

    call_key: str
    from_ns: int
    until_ns: int


class Extent(NamedTuple):
    """How many steps a trace has; used to compare reports of one run."""

    model_steps: int = 0
    tool_steps: int = 0
    richness: int = 0
    """The sum of ``Step.richness`` over these steps."""


class Call(NamedTuple):
    """A model or tool step in the call index, with the data that finds other reports of it."""

    key: TraceKey
    step_id: str
    call_key: str
    start_ns: int
    end_ns: int
    is_bare: bool
    """Whether the call is a model call and the only step of its trace."""
    dialect: str = ""
    """The dialect that classified the span of the step."""
    extent: Extent = Extent()
    """The numbers of steps in its trace."""
    answer: int = 0
    """A digest of the model's answer; 0 if it is unknown."""
    question: int = 0
    """A digest of the user's question; 0 if it is unknown, or if the answer is long enough."""

    def contradicts(self, other: Call) -> bool:
        """Return whether two calls are known to have different answers or different questions."""
        pairs = ((self.answer, other.answer), (self.question, other.question))
        return any(ours and theirs and ours != theirs for ours, theirs in pairs)

    def answers_as(self, other: Call) -> bool:
        """Return whether two calls are known to have the same answer."""
        return self.answer == other.answer != 0

    def is_within(self, window: CallWindow) -> bool:
        """Return whether the call has the key of a window and ran at some time within it."""
        return (
            self.call_key == window.call_key
            and self.start_ns <= window.until_ns
            and self.end_ns >= window.from_ns
        )


class Confirmation(NamedTuple):
    """A build that read more than the stored build, and has the same content.

    It is not written; only the read mark of the stored build is raised.
    """

    key: TraceKey
    build: Build
    """The build; it has the version number of the stored build."""
    status: Status
    start_ns: int


@dataclass(frozen=True, slots=True)
class TrajectoryRecord:
    """A trajectory ready to be stored as a new version."""

    key: TraceKey
    version: int
    """Greater than every earlier version number of the trace."""
    seq: int
    """The newest sequence among its spans."""
    status: Status
    fingerprint: str
    trajectory: Trajectory
    """The trajectory without span classifications, which can take 12 MiB for a long run.

    They are in ``spans_document``.
    """
    document: bytes
    """The canonical JSON document, including version and status."""
    spans_document: bytes
    """The JSON list that ``/spans`` returns."""
    calls: Sequence[Call]
    """The rows for the call index: model and tool steps, with which duplicates are found."""
    previous: Head | None = None
    """The stored trajectory that this record replaces."""
    read: Read = NOTHING_READ
    """How much of the trace the build read."""
    is_whole: bool = True
    """Whether the trajectory was built from everything that had arrived."""

    @property
    def build(self) -> Build:
        """The ``Build``, which decides whether the record may replace another build."""
        rank = max(self.seq, self.previous.next_rank if self.previous else 0)
        precedence = Precedence.of(self.read.mark, self.status, self.trajectory.extractor_version)
        return Build(rank, self.version, self.fingerprint, precedence, self.is_whole)

    @property
    def before(self) -> Sequence[int]:
        """Former list positions (starts in ns) of the run, to be removed with this write."""
        return former_places(self.start_ns, self.previous.places) if self.previous else ()

    @property
    def size(self) -> int:
        """The size of the documents in bytes."""
        return len(self.document) + len(self.spans_document)

    @property
    def start_ns(self) -> int:
        """The start in ns since the epoch by which lists order the run."""
        return listed_start_ns(self.trajectory.root.start_ns, self.seq)

    @property
    def announcement(self) -> Announcement:
        """The announcement for the change feed, to be published once the record is stored."""
        return Announcement(self.key, self.version, self.status, self.start_ns)


class TrajectoryWriter(Protocol):
    """Stores the newest version of trajectories."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes write trajectories too."""

    def heads(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Head]:
        """Return the stored trajectories of these traces; an unknown trace has no entry."""

    def write(self, records: list[TrajectoryRecord]) -> AbstractSet[TraceKey]:
        """Store records as the current trajectories of their traces; return the stored keys.

        A record is not stored if another build was stored or reserved meanwhile that read more, or
        has the same rank or version number (``Build.follows``); its trace has to be built again.
        Readers see the old or the new document, never a mixture. A single record may be removed
        from ``records`` while it is written, because the record of a long trace takes as much
        memory as writing it does.
        """

    def confirm(self, confirmed: Sequence[Confirmation]) -> AbstractSet[TraceKey]:
        """Raise the read marks of stored trajectories; return the keys for which that failed.

        From then on no build that read less replaces the stored build. For the keys in the result,
        another build is stored, or may be written at any time; they have to be built again.
        """

    def make_room(self) -> None:
        """Free memory that earlier builds have left allocated, before a large trace is built."""


class CallFinder(Protocol):
    """Finds stored calls of models and tools that may be reports of the same call."""

    def find(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """Return the steps in a project that have the call key of a window and overlap it.

        The cost depends on the number of results, so traces of several years may be searched at
        once, each with its own window.
        """


class PartFinder(Protocol):
    """Finds stored traces that may belong to the same run."""

    def find_parts(self, project: str, windows: Sequence[CallWindow], most: int) -> Sequence[Call]:
        """Return stored traces that may belong to one run (``core/joining/parts.py``).

        These traces have the call key of a window and overlap it in time. A trace is returned once;
        at most ``most`` traces are returned for a call key, in no particular order.
        """


class CallIndex(CallFinder, PartFinder, Protocol):
    """The call index, which also has rows for traces of runs with several traces."""


class BuildingStore(Protocol):
    """The ports of the store that are needed to build a batch of traces."""

    @property
    def spans(self) -> SpanReader:
        """Reads the spans of traces."""

    @property
    def trajectories(self) -> TrajectoryWriter:
        """Reads data about stored trajectories, and stores new ones."""

    @property
    def calls(self) -> CallIndex:
        """Finds calls in other traces that may be reports of the same calls."""

    @property
    def scores(self) -> ScoreStore:
        """Stores the scores made from evaluation results in the telemetry."""

    @property
    def feed(self) -> FeedWriter:
        """Announces stored trajectories in the change feed."""

    def ping(self) -> None:
        """Return if the store responds, otherwise raise ``StoreUnavailableError``."""


class CarriedSpans(NamedTuple):
    """The undecoded result of a query for the spans of traces."""

    spans: bytes
    events: bytes = b""
    """The undecoded content events of these spans."""


class CarriedRecord(NamedTuple):
    """An encoded ``TrajectoryRecord``, with values that the store needs unencoded."""

    key: TraceKey
    build: Build
    seq: int
    status: Status
    start_ns: int
    conversation_id: str
    calls: Sequence[bytes]
    """The rows for the call index; several chunks for a long trace."""
    listed: Sequence[bytes]
    """The row for the list of runs, and a tombstone for each former list position, as one INSERT.

    In chunks, which are joined only when the trajectory is no longer in memory.
    """
    row: Sequence[bytes]
    """The row with the documents, in chunks, so that a long document is not copied."""

    @property
    def size(self) -> int:
        """The size of the documents in bytes."""
        return sum(map(len, self.row))

    @property
    def announcement(self) -> Announcement:
        """See ``TrajectoryRecord.announcement``."""
        return Announcement(self.key, self.build.version, self.status, self.start_ns)


class Codec(Protocol):
    """Decodes spans from, and encodes trajectories to, a store's format; pure and picklable."""

    def decode(self, carried: CarriedSpans) -> Traces:
        """Return the same result as ``SpanReader.read_spans`` for these traces."""

    def encode(self, record: TrajectoryRecord) -> CarriedRecord:
        """Encode a record for ``write_carried``."""


class SpanCarrier(Protocol):
    """Reads spans as undecoded bytes."""

    def carry_spans(self, groups: Sequence[Sequence[TraceKey]]) -> Sequence[CarriedSpans]:
        """Return the spans of each group of traces as bytes, for ``Codec.decode``.

        All groups are read with one query, which costs less than several queries. Must not be used
        for very long traces, because the whole result is in memory at once.
        """


class TrajectoryCarrier(Protocol):
    """Stores trajectories that are already encoded."""

    def write_carried(self, records: Sequence[CarriedRecord]) -> AbstractSet[TraceKey]:
        """Store the same records as ``TrajectoryWriter.write``, with the same result."""


class CarryingStore(Protocol):
    """The ports that the parent of worker processes needs; it passes data on as bytes."""

    @property
    def codec(self) -> Codec:
        """The codec for other processes, to decode spans and encode trajectories."""

    @property
    def spans(self) -> SpanCarrier:
        """Reads the spans of traces as bytes, which workers decode."""

    @property
    def trajectories(self) -> TrajectoryCarrier:
        """Stores the trajectories that workers have encoded."""
