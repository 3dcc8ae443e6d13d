"""Builds one batch of traces, from stored spans to stored trajectories.

Several traces share one read and one write, because a query costs more than a trace. A trace that
cannot be read, built or written is isolated; the other traces of the batch are not affected.

``InProcess`` builds in this process; ``extractor/workers`` builds in worker processes, with equal
results.
"""

from __future__ import annotations

from traceback import clear_frames
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from spanloom.core.errors import RetryableError, StoreTooSmallError
from spanloom.extractor.drafts import make_drafts
from spanloom.extractor.duplicates import find_repeats
from spanloom.extractor.joined_runs import join_runs
from spanloom.extractor.joining import find_joins
from spanloom.extractor.next_versions import make_records
from spanloom.extractor.result import BY_DEFAULT, BatchResult
from spanloom.extractor.scoring import settle_scores
from spanloom.extractor.second_look import FirstLook, look_again
from spanloom.extractor.span_cap import read_traces
from spanloom.extractor.time_limit import UNLIMITED, BatchLimit
from spanloom.memory import without_collecting

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import BuildingStore
    from spanloom.core.ports.feed import Announcement, FeedWriter
    from spanloom.core.ports.spans import Arrived
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.extractor.result import BuildOptions
    from spanloom.extractor.time_limit import Stopper


class Writable(Protocol):
    """A trajectory record to store, encoded or not."""

    @property
    def key(self) -> TraceKey:
        """The trace from which the record was built."""

    @property
    def announcement(self) -> Announcement:
        """The announcement to write to the change feed after the record is stored."""


MANY_SPANS = 50_000
"""Batches with more spans return freed memory to the system between their steps."""

R = TypeVar("R", bound=Writable)


def build_batch(
    store: BuildingStore,
    requested: Mapping[TraceKey, Status],
    options: BuildOptions = BY_DEFAULT,
    arrived: Mapping[TraceKey, Arrived] | None = None,
    limit: BatchLimit = UNLIMITED,
) -> BatchResult:
    """Build traces with the given statuses in this process, and store new trajectories.

    A batch that cannot be read together is split in halves, so that one unreadable trace (too large
    for the store's memory, damaged on disk) fails alone; so does a trace that exceeds ``limit``.
    ``arrived`` has the traces' arrivals, if the caller has just queried the store for them. Raises
    ``RetryableError`` if the store does not answer or accepts no writes, because no trace is the
    cause of such a failure.
    """
    try:
        arrived = store.spans.arrived(list(requested)) if arrived is None else arrived
        result, records, first = _prepare(store, requested, arrived, options, limit)
    except Exception as error:
        failed = error
    else:
        write_apart(store.trajectories.write, store.feed, records, result)
        settle_scores(store, result)
        if first is not None:
            look_again(store.calls, first, result)
        _room_maker(store, result.span_count)()
        return result
    store.ping()
    clear_frames(failed.__traceback__)  # its frames hold the spans of the whole batch
    if len(requested) == 1:
        return BatchResult(arrived=dict(arrived or {}), failures=dict.fromkeys(requested, failed))
    return _build_halves(store, list(requested.items()), options, limit)


def write_apart(
    write: Callable[[list[R]], AbstractSet[TraceKey]],
    feed: FeedWriter,
    records: list[R],
    result: BatchResult,
) -> None:
    """Store and announce records; a record that cannot be written fails alone.

    A record fails if the store rejects it, if it is too large for the store, or if an unexpected
    error occurs. Raises ``RetryableError`` for every other retryable failure. If another build of a
    trace was stored first, the record is not written, and the trace is added to ``result.lost``.
    """
    if not records:
        return
    announcements = [record.announcement for record in records]  # writing consumes long records
    try:
        written = write(records)
    except Exception as error:
        if isinstance(error, RetryableError) and not isinstance(error, StoreTooSmallError):
            raise
        if len(announcements) == 1:
            result.failures[announcements[0].key] = error
            return
        middle = len(records) // 2
        write_apart(write, feed, records[:middle], result)
        write_apart(write, feed, records[middle:], result)
    else:
        result.written |= written
        result.lost.update(a.key for a in announcements if a.key not in written)
        feed.announce([a for a in announcements if a.key in written])


def _build_halves(
    store: BuildingStore,
    items: Sequence[tuple[TraceKey, Status]],
    options: BuildOptions,
    limit: BatchLimit,
) -> BatchResult:
    middle = len(items) // 2
    result = build_batch(store, dict(items[:middle]), options, limit=limit)
    result.add(build_batch(store, dict(items[middle:]), options, limit=limit))
    return result


def _prepare(
    store: BuildingStore,
    requested: Mapping[TraceKey, Status],
    arrived: Mapping[TraceKey, Arrived],
    options: BuildOptions,
    limit: BatchLimit,
) -> tuple[BatchResult, list[TrajectoryRecord], FirstLook | None]:
    """Read and extract traces; return the result so far, and the records to write.

    If other processes build too, the third value is what ``look_again`` needs after the write.
    Otherwise it is ``None``, so that the calls of a long run are not in memory during the write.
    """
    parts = read_traces(store.spans, list(requested), arrived, options.max_trace_spans)
    make_room = _room_maker(store, sum(len(part.spans) for part in parts.values()))
    make_room()
    with without_collecting():
        drafts = make_drafts(requested, parts, options.prices, limit)
    make_room()
    joins = find_joins(store.calls, drafts.parts)
    shown_elsewhere = join_runs(store.spans, requested, drafts, joins, options)
    heads = store.trajectories.heads(list(drafts.trajectories))
    repeats = find_repeats(store.calls, drafts.calls, heads)
    make_room()
    records = make_records(drafts, {**repeats.originals, **shown_elsewhere}, heads)
    drafts.result.arrived = dict(arrived)
    drafts.result.repeated_elsewhere = [*repeats.stored, *joins.due]
    drafts.result.sizes = dict(joins.due)
    first = FirstLook(drafts.calls, repeats, heads.keys(), drafts.parts, joins)
    return drafts.result, records, first if store.trajectories.is_shared else None


def _room_maker(store: BuildingStore, span_count: int) -> Callable[[], None]:
    """Return a function that frees memory between the steps of a long batch, or does nothing."""
    return store.trajectories.make_room if span_count > MANY_SPANS else lambda: None


class BuildRequest(NamedTuple):
    """A request to build traces together, with the status to build each trace with."""

    traces: Mapping[TraceKey, Status]
    failed_before: bool = False
    """Whether the last attempt failed; workers, if there are any, then build these traces."""


class Built(NamedTuple):
    """The result of building all or some traces of a request."""

    traces: Mapping[TraceKey, Status]
    result: BatchResult


class Builder(Protocol):
    """Builds traces from stored spans, and stores new trajectories."""

    def build(self, requests: Iterable[BuildRequest]) -> Generator[Built]:
        """Build all requested traces; yield their results as they are built, each trace once.

        Requests may be consumed before the results of earlier requests are yielded. A caller that
        stops early closes the iterator, which discards unfinished builds. Raises the same errors as
        ``build_batch``.
        """

    def rest(self) -> None:
        """Release resources that have been unused for long; called regularly."""

    def close(self) -> None:
        """End all workers; no trace is built afterwards."""


class InProcess:
    """Builds one batch after another in this process."""

    def __init__(
        self, store: BuildingStore, options: BuildOptions, stopper: Stopper | None = None
    ) -> None:
        """Set the store to read from and write to, the build options, and what limits builds."""
        self._store = store
        self._options = options
        self._stopper = stopper

    def build(self, requests: Iterable[BuildRequest]) -> Generator[Built]:
        """See ``Builder.build``."""
        for traces, _ in requests:
            limit = BatchLimit(self._stopper)
            yield Built(traces, build_batch(self._store, traces, self._options, limit=limit))

    def rest(self) -> None:
        """See ``Builder.rest``; there is nothing to release."""

    def close(self) -> None:
        """See ``Builder.close``; there are no workers to end."""
