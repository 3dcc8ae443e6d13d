"""Passes batches through the workers, and stores them in order.

Two batches are in progress: while one is stored, workers build the next. The duplicates for a batch
are looked up after the previous batch is stored; otherwise a call reported in both batches could be
missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import RetryableError
from spanloom.extractor.batch import Built, build_batch, write_apart
from spanloom.extractor.duplicates import find_repeats
from spanloom.extractor.result import BatchResult
from spanloom.extractor.scoring import settle_scores
from spanloom.extractor.second_look import FirstLook, look_again
from spanloom.extractor.time_limit import LEAST_S, BatchLimit, TooSlowError
from spanloom.extractor.workers.dealing import LONG_SPANS, Batch, Dealer, alone, cut
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import BuildingStore, CarriedRecord, CarryingStore
    from spanloom.extractor.batch import BuildRequest
    from spanloom.extractor.result import BuildOptions
    from spanloom.extractor.time_limit import Stopper
    from spanloom.extractor.workers.dealing import Task
    from spanloom.extractor.workers.pool import Pool

UNDER_WAY = 2
"""Maximum number of batches in progress."""
FEW_SPANS = 1_000
"""Batches with fewer spans are built in this process, which is faster than sending them."""
log = get_logger("extractor")


class Pipeline:
    """A ``Builder`` that uses worker processes."""

    def __init__(
        self,
        store: BuildingStore,
        carrying: CarryingStore,
        pool: Pool,
        options: BuildOptions,
        few_spans: int = FEW_SPANS,
        least_s: float = LEAST_S,
        stopper: Stopper | None = None,
    ) -> None:
        """Build with a pool of workers; ``store`` and ``carrying`` are two ports of one store.

        Batches below ``few_spans`` are built in this process, limited by ``stopper``. ``least_s``
        is the minimum CPU time limit of a worker's round, in seconds.
        """
        self._store = store
        self._carrying = carrying
        self._pool = pool
        self._options = options
        self._few_spans = few_spans
        self._stopper = stopper
        self._dealer = Dealer(carrying, pool, least_s)
        self._batches = self._dealer.batches

    def build(self, requests: Iterable[BuildRequest]) -> Generator[Built]:
        """See ``Builder.build``."""
        waiting = iter(requests)
        try:
            while self._open_some(waiting):
                yield self._build_first()
        finally:
            if self._batches:
                self._dealer.give_up()
                self._batches.clear()

    def rest(self) -> None:
        """See ``Builder.rest``."""
        self._pool.rest()

    def close(self) -> None:
        """See ``Builder.close``."""
        self._pool.close()

    def _open_some(self, waiting: Iterator[BuildRequest]) -> bool:
        """Open batches until ``UNDER_WAY`` are in progress; return whether any is in progress."""
        while len(self._batches) < UNDER_WAY and (request := next(waiting, None)) is not None:
            self._batches += self._batches_of(request)
        return bool(self._batches)

    def _batches_of(self, request: BuildRequest) -> Iterator[Batch]:
        """Yield a request as batches: its smaller traces together, each long trace alone."""
        requested, limit = request.traces, BatchLimit(self._stopper)
        try:
            arrived = self._store.spans.arrived(list(requested))
        except Exception:  # building in this process finds the faulty trace
            yield Batch(requested, limit=limit)
            return
        most = min(LONG_SPANS, self._options.max_trace_spans)
        large = {key for key, own in arrived.items() if own.spans > most}
        long = {key: status for key, status in requested.items() if key in large}
        usual = {key: status for key, status in requested.items() if key not in large}
        is_few = (
            sum(own.spans for own in arrived.values()) < self._few_spans
            and not request.failed_before
        )
        if usual:
            tasks = () if is_few else list(cut(usual, arrived))
            yield Batch(usual, arrived, tasks, limit=limit)
        for key, status in long.items():
            yield Batch({key: status}, limit=limit)

    def _build_first(self) -> Built:
        """Build and store the first batch; its lost tasks are queued as the next batches."""
        batch = self._batches[0]
        if not batch.tasks:
            arrived = batch.arrived or None
            result = build_batch(self._store, batch.traces, self._options, arrived, batch.limit)
            self._batches.popleft()
            return Built(batch.traces, result)
        while not batch.is_over:
            self._look_up(batch)
            self._dealer.deal()
            self._dealer.listen()
        built = self._stored(batch)
        self._batches.popleft()
        self._batches.extendleft(reversed(list(_retries(batch))))
        return built

    def _look_up(self, batch: Batch) -> None:
        """Look up duplicates and stored versions of a batch once all its calls are known."""
        if batch.repeats is not None or not batch.is_drafted:
            return
        calls = batch.calls()
        try:
            batch.heads = self._store.trajectories.heads(list(calls))
            batch.repeats = find_repeats(self._store.calls, calls, batch.heads)
        except Exception as error:  # building in this process finds the faulty trace
            if not isinstance(error, RetryableError):  # a RetryableError is logged as an outage
                log.warning("calls could not be looked up", error=str(error))
            self._dealer.give_up()

    def _stored(self, batch: Batch) -> Built:
        repeated = list(batch.repeats.stored) if batch.repeats else []
        result = BatchResult(arrived=dict(batch.arrived), repeated_elsewhere=repeated)
        records: list[CarriedRecord] = []
        requested: dict[TraceKey, Status] = {}
        for task in batch.tasks:
            if task.encoded:
                records += task.encoded.records
                result.add(task.encoded.result)
                requested.update(_without(task.traces, task.left))
            elif _is_hopeless(task):
                result.failures.update(dict.fromkeys(task.traces, TooSlowError()))
                requested.update(task.traces)
        write_apart(self._carrying.trajectories.write_carried, self._store.feed, records, result)
        settle_scores(self._store, result)
        if self._store.trajectories.is_shared and batch.repeats:
            look_again(
                self._store.calls,
                FirstLook(batch.calls(), batch.repeats, batch.heads.keys()),
                result,
            )
        return Built(requested, result)


def _without(
    traces: Mapping[TraceKey, Status], left: AbstractSet[TraceKey]
) -> Mapping[TraceKey, Status]:
    return {key: status for key, status in traces.items() if key not in left}


def _is_hopeless(task: Task) -> bool:
    return task.is_stuck and len(task.traces) == 1


def _retries(batch: Batch) -> Iterator[Batch]:
    """Yield batches of the traces that the workers did not build.

    Lost tasks, and traces that workers left to the owner, are built in this process. Each trace of
    a stuck task becomes a separate batch for the workers.
    """
    for task in batch.tasks:
        if task.encoded and task.left:
            yield Batch({key: task.traces[key] for key in task.left}, limit=batch.limit)
        if task.is_stuck and not _is_hopeless(task):
            yield from alone(batch, task)
        elif task.is_lost and not task.is_stuck:
            yield Batch(task.traces, limit=batch.limit)
