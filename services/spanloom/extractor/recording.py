"""Records the outcome of builds: stored progress, discovery, the feed, metrics, the log."""

from __future__ import annotations

from dataclasses import replace
from random import uniform
from typing import TYPE_CHECKING

from spanloom.core.errors import SpanloomError
from spanloom.core.extract import EXTRACTOR_VERSION
from spanloom.core.extraction.build import describe_unreadable
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.progress import Progress
from spanloom.core.ports.spans import NOTHING_ARRIVED
from spanloom.extractor.discovery import Outcome
from spanloom.extractor.readiness import NS, PendingTrace
from spanloom.extractor.records import make_record
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import BuildingStore
    from spanloom.core.ports.spans import Arrived
    from spanloom.core.ports.store import ExtractionStore
    from spanloom.extractor.discovery import Discovery
    from spanloom.extractor.result import BatchResult
    from spanloom.metrics import Metrics

    Due: TypeAlias = tuple[PendingTrace, Status]


log = get_logger("extractor")


def show_failure(store: BuildingStore, trace: PendingTrace, arrived: int, error: Exception) -> None:
    """Store a document that shows the error, unless a document built from spans is stored.

    The document's span count is the larger of ``arrived`` and discovery's count, because the
    store's count may lag. Its sequence is 0, so any build from spans replaces it. If the store
    fails, the next attempt stores the document. The document is announced again at each attempt,
    because an earlier process may have ended between storing and announcing it.
    """
    try:
        head = store.trajectories.heads([trace.key]).get(trace.key)
        if head is not None and head.seq:
            return
        span_count = max(arrived, trace.span_count)
        trajectory = describe_unreadable(
            trace.key, trace.first_accepted_ns, span_count, error, EXTRACTOR_VERSION
        )
        record = make_record(trace.key, trajectory, Status.FAILED, seq=0, head=head)
        if record is not None:
            announcement = record.announcement
            if store.trajectories.write([record]):
                store.feed.announce([announcement])
        elif head is not None:
            stored = Announcement(trace.key, head.version, Status.FAILED, head.start_ns)
            store.feed.announce_missing([stored])
    except SpanloomError as trouble:
        log.warning("a failure could not be shown", trace_id=trace.key.trace_id, error=str(trouble))


MAX_KNOWN = 1_000
"""Maximum number of logged services; a sender with a new name per span must not fill the log."""


class NewServices:
    """Logs when a service sends its first spans."""

    def __init__(self) -> None:
        """Start without known services."""
        self._known: set[tuple[str, str]] = set()

    def log_new(self, services: Iterable[tuple[str, str]]) -> None:
        """Log the pairs of project and service name that are new."""
        for project, service in sorted(set(services) - self._known):
            if len(self._known) == MAX_KNOWN:
                return
            self._known.add((project, service))
            log.info("the first spans of a service", service=service, project=project)


LOST_S = (0.1, 1.0)
"""Range, in seconds, of the random wait before a trace that was overtaken is built again."""


class Recorder:
    """Records the outcome of built batches."""

    def __init__(
        self,
        store: ExtractionStore,
        metrics: Metrics,
        discovery: Discovery,
        clock: Callable[[], int],
    ) -> None:
        """Set where to record outcomes; ``clock`` is the extractor's monotonic clock, in ns."""
        self._store = store
        self._metrics = metrics
        self._discovery = discovery
        self._clock = clock
        self._new_services = NewServices()

    def record(self, batch: Sequence[Due], result: BatchResult) -> None:
        """Record the outcome of a batch in the store, discovery, the feed, metrics and the log."""
        result.lost |= self._store.trajectories.confirm(result.confirmed)
        batch = list(self._without_lost(batch, result))
        if batch:
            self._store.progress.record_revisits(result.repeated_elsewhere)
        known = self._known(batch, result)
        result.statuses |= _ends(known, result)
        progress = [
            self._judge(trace, status, result)
            for trace, status in batch
            if _is_stored(trace.key, result)
            or (trace.key in result.failures and not _is_built(trace, known.get(trace.key)))
        ]
        self._announce_again(progress, result, known)
        self._store.progress.record_progress(progress)
        for trace, status in batch:
            self._settle(trace, status, result)
        self._count(result)
        self._discovery.revisit(result.repeated_elsewhere, self._clock(), result.sizes)
        self._new_services.log_new(result.services)

    def _without_lost(self, batch: Sequence[Due], result: BatchResult) -> Iterator[Due]:
        """Yield the traces whose build was not overtaken by another build; retry the others soon.

        Each overtaken trace waits a random time, so that two extractors do not collide again. If
        its build read less than the stored build, it waits longer each time for the missing spans.
        """
        now_ns = self._clock()
        for due in batch:
            trace, _ = due
            if trace.key not in result.lost:
                yield due
            elif trace.key in result.whole:
                trace.retry_ns = now_ns + int(uniform(*LOST_S) * NS)  # noqa: S311  # no secret
            else:
                trace.note_miss(now_ns)

    def _known(self, batch: Sequence[Due], result: BatchResult) -> Mapping[TraceKey, Progress]:
        """Return the stored progress of the traces for which this batch wrote no trajectory."""
        keys = [trace.key for trace, _ in batch if trace.key not in result.written]
        return self._store.progress.read_progress(keys) if keys else {}

    def _announce_again(
        self,
        progress: Sequence[Progress],
        result: BatchResult,
        known: Mapping[TraceKey, Progress],
    ) -> None:
        """Announce unchanged trajectories whose stored progress differs from this batch's.

        Their builder may have crashed before the announcement. Progress is recorded last, so a
        trajectory with equal progress has been announced.
        """
        if result.stored:
            lost = [p.key for p in progress if p.key in result.stored and not _matches(p, known)]
            self._store.feed.announce_missing([result.stored[key] for key in lost])

    def _judge(self, trace: PendingTrace, status: Status, result: BatchResult) -> Progress:
        """Return the progress to record for one trace of a batch."""
        if trace.key in result.failures:
            error = str(result.failures[trace.key])
            return Progress(
                trace.key, trace.built_seq, Status.FAILED, trace.attempts + 1, error=error
            )
        arrived = result.arrived.get(trace.key, NOTHING_ARRIVED)
        return Progress(
            trace.key,
            max(result.seqs[trace.key], arrived.newest_seq, trace.built_seq),
            result.statuses.get(trace.key, status),
            arrived=arrived.spans,
            requests=len(arrived.requests),
            digest=arrived.digest,
            is_whole=True,
        )

    def _count(self, result: BatchResult) -> None:
        """Count the outcomes of the built traces in the metrics."""
        built = len(result.seqs.keys() - result.failures.keys() - result.lost)
        written, kept = len(result.written), len(result.kept)
        counts = {"written": written, "kept": kept, "unchanged": built - written - kept}
        for outcome, count in counts.items():
            self._metrics.extractions.labels(outcome).inc(count)
        self._metrics.spans_extracted.inc(result.span_count)

    def _settle(self, trace: PendingTrace, status: Status, result: BatchResult) -> None:
        """Report the outcome of one trace to discovery, metrics and the log."""
        now_ns = self._clock()
        error = result.failures.get(trace.key)
        if error is not None:
            self._metrics.extraction_failures.inc()
            unexpected = None if isinstance(error, SpanloomError) else error
            log.error(
                "a trace could not be built",
                trace_id=trace.key.trace_id,
                error=str(error),
                exc_info=unexpected,
            )
            trace.note_failure(now_ns)
            if trace.key not in result.seqs:
                arrived = result.arrived.get(trace.key, NOTHING_ARRIVED)
                show_failure(self._store, trace, arrived.spans, error)
            return
        outcome = _outcome(trace.key, status, result)
        if trace.key in result.written and outcome.status is not Status.LIVE and trace.last_ns:
            self._metrics.extraction_lag_seconds.observe(max(now_ns - trace.last_ns, 0) / NS)
        self._discovery.built(trace, outcome, now_ns)


def _is_stored(key: TraceKey, result: BatchResult) -> bool:
    """Return whether a complete build is stored: this build, or an equally complete one."""
    return key in result.whole and key not in result.lost


def _outcome(key: TraceKey, status: Status, result: BatchResult) -> Outcome:
    arrived = result.arrived.get(key, NOTHING_ARRIVED)
    seen = {(request.seq, request.spans) for request in arrived.requests}
    seen |= result.unlisted.get(key, {}).items()
    return Outcome(
        max(result.seqs[key], arrived.newest_seq),
        result.statuses.get(key, status),
        _is_stored(key, result),
        seen,
    )


def _ends(known: Mapping[TraceKey, Progress], result: BatchResult) -> Mapping[TraceKey, Status]:
    """Return the recorded status of runs that this batch built as live, but another as finished.

    Runs with arrivals since the other build was recorded are left out. This batch must not record
    the returned runs as live, because then possibly no process would finish them again.
    """
    return {
        key: one.status
        for key, one in known.items()
        if one.is_whole
        and one.is_finished
        and result.statuses.get(key, Status.LIVE) is Status.LIVE
        and _has_as_much(one, result.arrived.get(key, NOTHING_ARRIVED))
    }


def _is_built(trace: PendingTrace, recorded: Progress | None) -> bool:
    """Return whether another builder has recorded a complete build with all awaited requests.

    If this process recorded its own failure instead, other processes would not know of that build.
    """
    return (
        recorded is not None
        and recorded.is_whole
        and recorded.is_finished
        and all(seq <= recorded.seq for seq, _ in trace.known)
    )


def _has_as_much(recorded: Progress, arrived: Arrived) -> bool:
    return (recorded.requests, recorded.digest) == (len(arrived.requests), arrived.digest)


def _matches(reached: Progress, known: Mapping[TraceKey, Progress]) -> bool:
    """Return whether the same progress, except for its error, is already recorded."""
    before = known.get(reached.key)
    return before is not None and replace(before, error="") == reached
