"""One batch of traces, from stored spans to stored trajectories.

Several traces are read with one query and written with one: a query costs more than a trace.
A trace that raises, that cannot be read or written, is set apart; the others go on.
"""

from __future__ import annotations

from traceback import clear_frames
from typing import TYPE_CHECKING, Protocol, TypeVar

from spanloom.core.errors import RetryableError, StoreTooSmallError
from spanloom.extractor.drafts import make_drafts, make_records
from spanloom.extractor.duplicates import find_repeats
from spanloom.extractor.options import BY_DEFAULT
from spanloom.extractor.result import BatchResult
from spanloom.extractor.span_cap import read_traces

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import BuildingStore, TrajectoryRecord
    from spanloom.core.ports.feed import Announcement, FeedWriter
    from spanloom.extractor.options import BuildOptions


class Writable(Protocol):
    """A record, encoded or not."""

    @property
    def key(self) -> TraceKey:
        """Whose it is."""

    @property
    def announcement(self) -> Announcement:
        """What the change feed says of it once it is stored."""


MANY_SPANS = 50_000
"""From so many spans of one batch on, each step gives back the memory that it leaves."""

R = TypeVar("R", bound=Writable)


def build_batch(
    store: BuildingStore,
    wanted: Mapping[TraceKey, Status],
    options: BuildOptions = BY_DEFAULT,
    arrived: Mapping[TraceKey, int] | None = None,
) -> BatchResult:
    """Build these traces with these statuses in this process, and store what is new.

    What cannot be read together is read in halves, so that one trace that cannot be read at all
    (too large for the store's memory, damaged on disk) fails alone. ``arrived`` is what the store
    said of them just now, if it was asked. Raises ``RetryableError`` if the store does not answer
    or takes no writes: that is no trace's fault.
    """
    try:
        arrived = store.arrived(list(wanted)) if arrived is None else arrived
        result, records = _prepare(store, wanted, arrived, options)
    except Exception as error:
        failed = error
    else:
        write_apart(store.write, store, records, result)
        return result
    store.ping()
    clear_frames(failed.__traceback__)  # they hold the spans of all of them
    if len(wanted) == 1:
        return BatchResult(arrived=dict(arrived or {}), failures=dict.fromkeys(wanted, failed))
    return _build_halves(store, list(wanted.items()), options)


def write_apart(
    write: Callable[[list[R]], None],
    feed: FeedWriter,
    records: list[R],
    result: BatchResult,
) -> None:
    """Store and announce records; one that the store refuses, or has no room for, fails alone.

    So does one of which nobody foresaw that it cannot be written. Raises ``RetryableError``.
    """
    if not records:
        return
    announcements = [record.announcement for record in records]  # a long one is used up
    try:
        write(records)
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
        result.written.update(told.key for told in announcements)
        feed.announce(announcements)


def _build_halves(
    store: BuildingStore, items: Sequence[tuple[TraceKey, Status]], options: BuildOptions
) -> BatchResult:
    middle = len(items) // 2
    result = build_batch(store, dict(items[:middle]), options)
    result.add(build_batch(store, dict(items[middle:]), options))
    return result


def _prepare(
    store: BuildingStore,
    wanted: Mapping[TraceKey, Status],
    arrived: Mapping[TraceKey, int],
    options: BuildOptions,
) -> tuple[BatchResult, list[TrajectoryRecord]]:
    """Read and extract; return what became of the traces so far, and what is to be written."""
    parts = read_traces(store, list(wanted), arrived, options.max_trace_spans)
    make_room = _room_maker(store, sum(len(part.spans) for part in parts.values()))
    make_room()
    drafts = make_drafts(wanted, parts, options.prices)
    make_room()
    repeats = find_repeats(store, drafts.calls)
    heads = store.heads(list(drafts.trajectories))
    make_room()
    records = make_records(drafts, repeats.originals, heads)
    drafts.result.arrived = dict(arrived)
    drafts.result.repeated_elsewhere = list(repeats.stored)
    return drafts.result, records


def _room_maker(store: BuildingStore, span_count: int) -> Callable[[], None]:
    """Return what makes room in memory between two steps of a long batch, and nothing else."""
    return store.make_room if span_count > MANY_SPANS else lambda: None
