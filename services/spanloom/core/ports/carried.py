"""Spans and trajectories as the bytes that a store gives and takes, so that they can be carried.

Reading such bytes and making them asks no store: another process can do it (``Codec``), and the
one that has the store open moves bytes alone.
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
    """What a store answers when it is asked for the spans of traces, as it came."""

    spans: bytes
    events: bytes = b""
    """Content events that tell of them."""


class CarriedRecord(NamedTuple):
    """A ``TrajectoryRecord`` as a store writes it, and what it has to know of it."""

    key: TraceKey
    version: int
    seq: int
    status: Status
    start_ns: int
    conversation_id: str
    calls: Sequence[bytes]
    """Of a long trace in several texts."""
    listed: Sequence[bytes]
    """In pieces: put together when the trajectory is no longer in memory."""
    moved: bytes
    """Takes the row of a list away from where the trajectory stood before; empty if it did not."""
    row: Sequence[bytes]
    """In pieces: a long document is not copied."""

    @property
    def size(self) -> int:
        """How many bytes the documents take."""
        return sum(map(len, self.row))

    @property
    def announcement(self) -> Announcement:
        """See ``TrajectoryRecord.announcement``."""
        return Announcement(self.key, self.version, self.status, self.start_ns)


class Codec(Protocol):
    """A store's own forms of spans and trajectories: pure, and it can be pickled."""

    def decode(self, carried: CarriedSpans) -> Mapping[TraceKey, list[Span]]:
        """Return what ``SpanReader.read_spans`` gives for the same traces."""

    def encode(self, record: TrajectoryRecord) -> CarriedRecord:
        """Return a record as ``write_carried`` takes it."""


class SpanCarrier(Protocol):
    """Reads spans as bytes."""

    def carry_spans(self, groups: Sequence[Sequence[TraceKey]]) -> Sequence[CarriedSpans]:
        """Return for each group of traces what ``Codec.decode`` reads as ``SpanReader.read_spans``.

        Several groups are read at once: one query costs less than many. For traces of usual
        size: all that is answered is in memory together.
        """


class TrajectoryCarrier(Protocol):
    """Stores trajectories that are encoded already."""

    def write_carried(self, records: Sequence[CarriedRecord]) -> None:
        """Do what ``TrajectoryWriter.write`` does with the same records."""


class CarryingStore(Protocol):
    """The subjects of a store that worker processes build for."""

    @property
    def codec(self) -> Codec:
        """By which other processes read and write what is carried."""

    @property
    def spans(self) -> SpanCarrier:
        """The spans of traces, for workers to decode."""

    @property
    def trajectories(self) -> TrajectoryCarrier:
        """What workers have encoded."""
