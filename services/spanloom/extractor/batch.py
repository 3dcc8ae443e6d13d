"""One batch of traces, from stored spans to stored trajectories.

Several traces are read with one query and written with one: a query costs more than a trace.
A trace that raises, that cannot be read or written, is set apart; the others go on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from traceback import clear_frames
from typing import TYPE_CHECKING

from spanloom.core.errors import PermanentError, StoreTooSmallError
from spanloom.core.extraction.reports.duplicates import list_calls
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement
from spanloom.extractor.extract import extract, extract_failure
from spanloom.extractor.options import BY_DEFAULT
from spanloom.extractor.records import announcement_of, make_record
from spanloom.extractor.repeats import find_repeats
from spanloom.extractor.span_cap import describe_rest, is_part, read_traces

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.building import BuildingStore, Head, TrajectoryRecord
    from spanloom.core.ports.spans import TracePart
    from spanloom.core.pricing.book import PriceBook
    from spanloom.extractor.options import BuildOptions


@dataclass(slots=True)
class BatchResult:
    """What became of a batch."""

    seqs: dict[TraceKey, int] = field(default_factory=dict)
    """Each built trace to the newest span version that went in; 0 if it has no spans."""
    arrived: Mapping[TraceKey, int] = field(default_factory=dict)
    """Each trace to how many spans had arrived before it was read."""
    statuses: dict[TraceKey, Status] = field(default_factory=dict)
    """Each built trace to what it is: discovery may not know of a root, or of a recovery."""
    written: set[TraceKey] = field(default_factory=set)
    """Those whose trajectory is new or differs."""
    kept: AbstractSet[TraceKey] = frozenset()
    """Those of which spans have expired: the document that has them stays."""
    stored: Mapping[TraceKey, Announcement] = field(default_factory=dict)
    """Each trace whose stored trajectory stays, to what would have announced it."""
    failures: dict[TraceKey, Exception] = field(default_factory=dict)
    repeated_elsewhere: Sequence[TraceKey] = ()
    """Stored traces that repeat a call of this batch: they have to be built again."""
    span_count: int = 0
    services: set[tuple[str, str]] = field(default_factory=set)
    """Who sent the spans that were read: projects and services."""

    def joined(self, other: BatchResult) -> BatchResult:
        """Return what became of two batches together."""
        return BatchResult(
            seqs={**self.seqs, **other.seqs},
            arrived={**self.arrived, **other.arrived},
            statuses={**self.statuses, **other.statuses},
            written=self.written | other.written,
            kept=self.kept | other.kept,
            stored={**self.stored, **other.stored},
            failures={**self.failures, **other.failures},
            repeated_elsewhere=[*self.repeated_elsewhere, *other.repeated_elsewhere],
            span_count=self.span_count + other.span_count,
            services=self.services | other.services,
        )


def build_batch(
    store: BuildingStore, wanted: Mapping[TraceKey, Status], options: BuildOptions = BY_DEFAULT
) -> BatchResult:
    """Build these traces with these statuses, and store what is new.

    What cannot be read together is read in halves, so that one trace that cannot be read at all
    (too large for the store's memory, damaged on disk) fails alone. Raises ``RetryableError`` if
    the store does not answer or takes no writes: that is no trace's fault.
    """
    result = BatchResult()
    try:
        records = _prepare(store, wanted, result, options)
    except Exception as error:
        failed = error
    else:
        _write(store, records, result)
        return result
    store.ping()
    clear_frames(failed.__traceback__)  # they hold the spans of all of them
    if len(wanted) == 1:
        return BatchResult(arrived=result.arrived, failures=dict.fromkeys(wanted, failed))
    return _build_halves(store, list(wanted.items()), options)


def _build_halves(
    store: BuildingStore, items: Sequence[tuple[TraceKey, Status]], options: BuildOptions
) -> BatchResult:
    middle = len(items) // 2
    first = build_batch(store, dict(items[:middle]), options)
    return first.joined(build_batch(store, dict(items[middle:]), options))


def _prepare(
    store: BuildingStore,
    wanted: Mapping[TraceKey, Status],
    result: BatchResult,
    options: BuildOptions,
) -> Sequence[TrajectoryRecord]:
    """Read and extract; return the records that are to be written."""
    keys = list(wanted)
    result.arrived = store.arrived(keys)
    parts = read_traces(store, keys, result.arrived, options.max_trace_spans)
    trajectories = _extract_all(wanted, parts, result, options.prices)
    for key, trajectory in trajectories.items():
        result.services.update((key.project, name) for name in trajectory.services)
    calls = {key: list_calls(t) for key, t in trajectories.items()}
    repeats = find_repeats(store, calls)
    for key, original in repeats.originals.items():
        trajectories[key] = replace(trajectories[key], duplicate_of=original)
    result.repeated_elsewhere = repeats.stored
    heads = store.heads(list(trajectories))
    result.kept = {key for key, t in trajectories.items() if _has_lost(t, heads.get(key))}
    for key in result.kept:
        del trajectories[key]
    records = [
        make_record(
            key,
            trajectory,
            result.statuses[key],
            seq=result.seqs[key],
            head=heads.get(key),
            calls=calls[key],
        )
        for key, trajectory in trajectories.items()
    ]
    new = [record for record in records if record is not None]
    result.stored = _stored(heads, result.statuses, {record.key for record in new})
    return new


def _stored(
    heads: Mapping[TraceKey, Head], statuses: Mapping[TraceKey, Status], new: set[TraceKey]
) -> Mapping[TraceKey, Announcement]:
    return {
        key: Announcement(key, head.version, statuses[key], head.start_ns)
        for key, head in heads.items()
        if key not in new
    }


def _has_lost(trajectory: Trajectory, head: Head | None) -> bool:
    """Whether the stored document shows spans that are gone: a trace only loses them by age."""
    if head is None or not head.seq:
        return False
    if head.span_count > trajectory.span_count:
        return True
    if is_part(trajectory):  # a span that came late may push another one out of what is shown
        return False
    return not {verdict.span_id for verdict in trajectory.verdicts}.issuperset(head.step_ids)


def _extract_all(
    wanted: Mapping[TraceKey, Status],
    parts: dict[TraceKey, TracePart],
    result: BatchResult,
    prices: PriceBook,
) -> dict[TraceKey, Trajectory]:
    """Use the spans up: those of a long trace take as much memory as all that comes after."""
    trajectories = {}
    for key in wanted:
        part = parts.pop(key, None)
        result.seqs[key] = part.newest_seq if part else 0
        if part is None:
            continue
        result.span_count += len(part.spans)
        try:
            trajectories[key] = describe_rest(extract(key, part.spans, prices), part)
        except Exception as error:  # one hostile trace must not stop the others
            if wanted[key] is not Status.FAILED:
                result.failures[key] = error
                continue
            failure = extract_failure(key, part.spans, error)
            trajectories[key] = describe_rest(failure, part)
            result.statuses[key] = Status.FAILED
        else:
            result.statuses[key] = _status(wanted[key], trajectories[key])
    return trajectories


def _status(wanted: Status, trajectory: Trajectory) -> Status:
    if wanted is Status.LIVE:
        return wanted
    return Status.SETTLED if trajectory.has_root else Status.PARTIAL


def _write(store: BuildingStore, records: Sequence[TrajectoryRecord], result: BatchResult) -> None:
    """Store and announce records; one that the store refuses, or has no room for, fails alone."""
    if not records:
        return
    try:
        store.write(records)
    except (PermanentError, StoreTooSmallError) as error:
        if len(records) == 1:
            result.failures[records[0].key] = error
            return
        middle = len(records) // 2
        _write(store, records[:middle], result)
        _write(store, records[middle:], result)
    else:
        result.written.update(record.key for record in records)
        store.announce([announcement_of(record) for record in records])
