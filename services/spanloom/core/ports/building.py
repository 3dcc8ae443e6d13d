"""The ports for building trajectories, in one process or with worker processes.

Spans are decoded, and trajectories encoded, without the store (``Codec``), so worker processes can
do that, while the process that has the store open only reads and writes bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.ports.feed import Announcement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.annotations import ScoreStore
    from spanloom.core.ports.builds import Build
    from spanloom.core.ports.calls import CallIndex
    from spanloom.core.ports.feed import FeedWriter
    from spanloom.core.ports.spans import SpanReader, Traces
    from spanloom.core.ports.trajectories import TrajectoryRecord, TrajectoryWriter


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
        """Raise ``StoreUnavailableError`` if the store does not respond."""


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
