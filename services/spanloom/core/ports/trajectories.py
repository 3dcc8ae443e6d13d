"""The port for storing trajectories, its records, and the heads that these replace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.clocks import listed_start_ns
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.builds import Build, Precedence, former_places
from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.spans import NOTHING_READ, Read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.calls import Call


class ReservedBuilds(NamedTuple):
    """Reservations that builders make for a trace before they write a build.

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
