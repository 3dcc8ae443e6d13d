"""Spans and trajectories as the bytes that a store reads and writes, to pass between processes.

Decoding and encoding such bytes needs no store: another process can do it (``Codec``), and the
process that has the store open only moves bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.ports.feed import Announcement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import TrajectoryRecord


class CarriedSpans(NamedTuple):
    """The undecoded answer of a store to a query for the spans of traces."""

    spans: bytes
    events: bytes = b""
    """The content events of these spans."""


class CarriedRecord(NamedTuple):
    """A ``TrajectoryRecord`` encoded for a store, with what the store needs to know about it."""

    key: TraceKey
    version: int
    seq: int
    status: Status
    start_ns: int
    conversation_id: str
    calls: Sequence[bytes]
    """Several texts for a long trace."""
    listed: Sequence[bytes]
    """In pieces: put together when the trajectory is no longer in memory."""
    moved: bytes
    """The tombstone for the trajectory's previous place in the list; empty if it has not moved."""
    row: Sequence[bytes]
    """In pieces: a long document is not copied."""

    @property
    def size(self) -> int:
        """The size of the documents in bytes."""
        return sum(map(len, self.row))

    @property
    def announcement(self) -> Announcement:
        """See ``TrajectoryRecord.announcement``."""
        return Announcement(self.key, self.version, self.status, self.start_ns)


class Codec(Protocol):
    """Converts spans and trajectories from and to a store's format: pure, and can be pickled."""

    def decode(self, carried: CarriedSpans) -> Mapping[TraceKey, list[Span]]:
        """Return what ``SpanReader.read_spans`` returns for the same traces."""

    def encode(self, record: TrajectoryRecord) -> CarriedRecord:
        """Return a record in the form that ``write_carried`` takes."""


class SpanCarrier(Protocol):
    """Reads spans as bytes."""

    def carry_spans(self, groups: Sequence[Sequence[TraceKey]]) -> Sequence[CarriedSpans]:
        """Return for each group of traces the bytes of its spans, for ``Codec.decode``.

        Several groups are read at once: one query costs less than many. Only for traces of usual
        size: the whole answer is in memory at once.
        """


class TrajectoryCarrier(Protocol):
    """Stores trajectories that are encoded already."""

    def write_carried(self, records: Sequence[CarriedRecord]) -> None:
        """Do what ``TrajectoryWriter.write`` does with the same records."""


class CarryingStore(Protocol):
    """The subjects of a store that worker processes build for."""

    @property
    def codec(self) -> Codec:
        """Decodes and encodes the carried bytes in other processes."""

    @property
    def spans(self) -> SpanCarrier:
        """The spans of traces, for workers to decode."""

    @property
    def trajectories(self) -> TrajectoryCarrier:
        """Stores the trajectories that workers have encoded."""
