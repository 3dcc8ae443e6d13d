"""The extraction loop: look for changes, build what is due, remember how far it got."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError, SpanloomError
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import Progress
from spanloom.extractor.batch import BatchResult, build_batch
from spanloom.extractor.discovery import Discovery
from spanloom.extractor.newcomers import Newcomers
from spanloom.extractor.options import BY_DEFAULT
from spanloom.extractor.quarantine import show_failure
from spanloom.extractor.readiness import NS, Moment, PendingTrace, Timing
from spanloom.extractor.replay import Replayer
from spanloom.telemetry import get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import ExtractionStore
    from spanloom.extractor.options import BuildOptions
    from spanloom.telemetry import Metrics

MAX_TRACES = 2_000
MAX_SPANS = 20_000
"""A batch ends at this many traces, or spans as far as discovery has counted them."""
NOTHING_CAME_S = 60.0
"""A trace has no spans if none can be seen for so long: retention took them, or only log records
tell of it. What comes later makes it due again."""
MIN_REST_S = 0.02
"""Under load one look follows the other, but other threads have their turn."""
WAITING_S = 1.0
"""How long it waits for the keeper, who brings what an older release stored into its form."""
AFTER_A_BUG_S = 5.0
"""What nobody foresaw is tried again, but not at once."""

Due = tuple[PendingTrace, Status]
log = get_logger("extractor")


class Extractor:
    """Keeps trajectories up with spans; correct whatever dies, because it starts from the store.

    A part of the process (``process/part.py``).
    """

    name = "extractor"

    def __init__(
        self,
        store: ExtractionStore,
        metrics: Metrics,
        timing: Timing,
        clock: Callable[[], int] = time.monotonic_ns,
        options: BuildOptions = BY_DEFAULT,
        wall_clock: Callable[[], int] = time.time_ns,
    ) -> None:
        """Take the store to read and write, and how traces are built.

        ``clock``, in ns, only goes forward; collectors accept by ``wall_clock`` (``Moment``).
        """
        self._store = store
        self._metrics = metrics
        self._timing = timing
        self._clock = clock
        self._wall_clock = wall_clock
        self._discovery = Discovery(store, timing)
        self._options = options
        self._newcomers = Newcomers()
        self._is_laid_out = False
        self._replayer = Replayer(store, metrics, clock, options)
        self._stopping = threading.Event()
        self._thread = WatchedThread("extractor", self._run)

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._thread.failed

    def start(self) -> None:
        """Begin to work in a thread of its own."""
        self._thread.start()

    def stop(self, grace_s: float = 10.0) -> None:
        """Finish the batch at hand and end."""
        self._thread.expect_end()
        self._stopping.set()
        self._thread.join(grace_s)

    def run_once(self) -> int:
        """Look for changes and build everything that is due; give how many traces were built."""
        now_ns = self._clock()
        self._discovery.look(Moment(now_ns, self._wall_clock() - now_ns))
        due = self._discovery.due(self._clock())
        for batch in _cut(due):
            if self._stopping.is_set():
                break
            self._build(batch)
        self._metrics.traces_pending.set(len(self._discovery))
        self._metrics.traces_quarantined.set(self._discovery.quarantined)
        return len(due)

    def _run(self) -> None:
        while not self._stopping.is_set():
            rest_s = self._timing.poll_s
            try:
                rest_s = self._work()
            except RetryableError as error:
                log.warning("the store does not answer; trying again", error=str(error))
                rest_s = max(rest_s, error.retry_after_s)
            except Exception:
                log.exception("extraction failed; trying again")
                rest_s = max(rest_s, AFTER_A_BUG_S)
            self._stopping.wait(rest_s)

    def _work(self) -> float:
        """Build what is due and do a piece of a replay, if there is one; give how long to rest.

        After a piece of a replay the rest is as long as that took: half of the time is left to
        what arrives.
        """
        if not self._may_build():
            return WAITING_S
        began = time.monotonic()
        built = self.run_once()
        looked = time.monotonic()
        if not self._stopping.is_set() and self._replayer.step() is not None:
            return time.monotonic() - looked
        rest_s = self._timing.poll_s - (looked - began)
        return max(rest_s if built else min(rest_s, self._until_next_s()), MIN_REST_S)

    def _until_next_s(self) -> float:
        """Return how long until a trace settles: a run that comes alone is not kept waiting.

        Where they come all the time each look finds some, and takes all that have settled since
        the last: what a look and its batch cost is paid once a second, not for each.
        """
        settles_ns = self._discovery.settles_ns()
        return inf if settles_ns is None else (settles_ns - self._clock()) / NS

    def _may_build(self) -> bool:
        """Return whether the store is in its present form: once so, it is not asked again."""
        self._is_laid_out = self._is_laid_out or self._store.is_laid_out()
        return self._is_laid_out

    def _build(self, batch: Sequence[Due]) -> None:
        wanted = {trace.key: status for trace, status in batch}
        result = build_batch(self._store, wanted, self._options)
        progress = [self._judge(trace, status, result) for trace, status in batch]
        self._announce_again(progress, result)
        self._store.record_progress([*progress, *self._due_again(result.repeated_elsewhere)])
        for (trace, _), reached in zip(batch, progress, strict=True):
            self._settle(trace, reached, result)
        self._count(result)
        self._discovery.revisit(result.repeated_elsewhere, self._clock())
        self._newcomers.meet(result.services)

    def _announce_again(self, progress: Sequence[Progress], result: BatchResult) -> None:
        """Announce what is stored if its progress is not: whoever built it may have ended between.

        Of a trace that was built as it is now, from these spans, everybody was told: progress is
        recorded last.
        """
        if result.stored:
            known = self._store.read_progress(list(result.stored))
            lost = [p.key for p in progress if p.key in result.stored and not _is_known(p, known)]
            self._store.announce([result.stored[key] for key in lost])

    def _due_again(self, keys: Sequence[TraceKey]) -> Iterator[Progress]:
        """Yield the progress of stored traces that have to be built again: unfinished.

        Whoever starts after this process has ended finds them by it.
        """
        if keys:
            for known in self._store.read_progress(keys).values():
                yield replace(known, status=Status.LIVE)

    def _judge(self, trace: PendingTrace, status: Status, result: BatchResult) -> Progress:
        """Return what is to be remembered of one trace of a batch."""
        if trace.key in result.failures:
            error = str(result.failures[trace.key])
            return Progress(
                trace.key, trace.built_seq, Status.FAILED, trace.attempts + 1, error=error
            )
        seq = result.seqs[trace.key]
        if not seq and self._clock() - trace.last_ns > NOTHING_CAME_S * NS:
            seq = trace.seq
        return Progress(
            trace.key,
            seq,
            result.statuses.get(trace.key, status),
            arrived=result.arrived.get(trace.key, 0),
        )

    def _count(self, result: BatchResult) -> None:
        """Add what became of the traces that were built to the metrics."""
        built = len(result.seqs.keys() - result.failures.keys())
        written, kept = len(result.written), len(result.kept)
        counts = {"written": written, "kept": kept, "unchanged": built - written - kept}
        for outcome, count in counts.items():
            self._metrics.extractions.labels(outcome).inc(count)
        self._metrics.spans_extracted.inc(result.span_count)

    def _settle(self, trace: PendingTrace, reached: Progress, result: BatchResult) -> None:
        """Report to discovery and the metrics what became of a trace."""
        now_ns = self._clock()
        error = result.failures.get(trace.key)
        if error is not None:
            self._metrics.extraction_failures.inc()
            unforeseen = None if isinstance(error, SpanloomError) else error
            log.error(
                "a trace could not be built",
                trace_id=trace.key.trace_id,
                error=str(error),
                exc_info=unforeseen,
            )
            trace.has_failed(now_ns)
            if trace.key not in result.seqs:
                show_failure(self._store, trace, result.arrived.get(trace.key, 0), error)
            return
        if trace.key in result.written and reached.status is not Status.LIVE and trace.last_ns:
            self._metrics.extraction_lag_seconds.observe(max(now_ns - trace.last_ns, 0) / NS)
        self._discovery.built(trace, reached.seq, reached.status, now_ns)


def _is_known(reached: Progress, known: Mapping[TraceKey, Progress]) -> bool:
    before = known.get(reached.key)
    return before is not None and (before.seq, before.status) == (reached.seq, reached.status)


def _cut(due: Sequence[Due]) -> Iterator[Sequence[Due]]:
    """Cut the work into batches that fit into memory, neighbours in the store together.

    The store reads and writes neighbours as one: a backlog in any other order takes half as
    much again. What failed before comes last, each trace alone.
    """
    batch: list[Due] = []
    spans = 0
    failed = [[item] for item in due if item[0].attempts]
    fresh = [item for item in due if not item[0].attempts]
    for item in sorted(fresh, key=lambda item: item[0].key):
        if batch and (len(batch) >= MAX_TRACES or spans + item[0].span_count > MAX_SPANS):
            yield batch
            batch, spans = [], 0
        batch.append(item)
        spans += item[0].span_count
    if batch:
        yield batch
    yield from failed
