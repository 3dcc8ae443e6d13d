"""Batch after batch through the workers, and into the store in the order they came.

Two batches are under way: while one is stored, workers read the next. What a batch repeats is
asked once the batch before it is stored: else the two could miss each other's calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.extractor.batch import build_batch, write_apart
from spanloom.extractor.builder import Built
from spanloom.extractor.duplicates import find_repeats
from spanloom.extractor.result import BatchResult
from spanloom.extractor.workers.dealing import LEAST_S, Dealer
from spanloom.extractor.workers.tasks import LONG_SPANS, Batch, alone, cut
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.carried import CarriedRecord, CarryingStore
    from spanloom.core.ports.store import ExtractionStore
    from spanloom.extractor.builder import Asked
    from spanloom.extractor.options import BuildOptions
    from spanloom.extractor.workers.pool import Pool
    from spanloom.extractor.workers.tasks import Task

UNDER_WAY = 2
"""Batches at a time."""
FEW_SPANS = 1_000
"""Fewer are built in this process: they are done before they would have been sent."""
STUCK = "building it takes more CPU time than a worker is given"
log = get_logger("extractor")


class StuckError(Exception):
    """A trace takes too long to be built, alone too."""


class Pipeline:
    """A ``Builder`` that gives the work away."""

    def __init__(
        self,
        store: ExtractionStore,
        carrying: CarryingStore,
        pool: Pool,
        options: BuildOptions,
        few_spans: int = FEW_SPANS,
        least_s: float = LEAST_S,
    ) -> None:
        """Take the store, which is also the one that gives and takes bytes, and the workers."""
        self._store = store
        self._carrying = carrying
        self._pool = pool
        self._options = options
        self._few_spans = few_spans
        self._dealer = Dealer(carrying, pool, least_s)
        self._batches = self._dealer.batches

    def build(self, asked: Iterable[Asked]) -> Generator[Built]:
        """See ``Builder.build``."""
        waiting = iter(asked)
        try:
            while self._open_some(waiting):
                yield self._work_off()
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

    def _open_some(self, waiting: Iterator[Asked]) -> bool:
        """Take as many batches as may be under way; return whether there is any."""
        while len(self._batches) < UNDER_WAY and (asked := next(waiting, None)) is not None:
            self._batches += self._opened(asked)
        return bool(self._batches)

    def _opened(self, asked: Asked) -> Iterator[Batch]:
        """Yield what was asked for, long traces each alone."""
        wanted = asked.wanted
        try:
            arrived = self._store.arrived(list(wanted))
        except Exception:  # built in this process, where it is found whose fault it is
            yield Batch(wanted)
            return
        most = min(LONG_SPANS, self._options.max_trace_spans)
        long = {key: status for key, status in wanted.items() if arrived.get(key, 0) > most}
        usual = {key: status for key, status in wanted.items() if key not in long}
        is_few = sum(arrived.values()) < self._few_spans and not asked.failed_before
        if usual:
            yield Batch(usual, arrived, () if is_few else list(cut(usual, arrived)))
        for key, status in long.items():
            yield Batch({key: status})

    def _work_off(self) -> Built:
        """Build and store the first batch; what was lost of it comes next."""
        batch = self._batches[0]
        if not batch.tasks:
            result = build_batch(self._store, batch.wanted, self._options, batch.arrived or None)
            self._batches.popleft()
            return Built(batch.wanted, result)
        while not batch.is_over:
            self._look_up(batch)
            self._dealer.deal()
            self._dealer.listen()
        built = self._stored(batch)
        self._batches.popleft()
        self._batches.extendleft(reversed(list(_again(batch))))
        return built

    def _look_up(self, batch: Batch) -> None:
        """Ask the store about a batch whose calls are known; it has been asked about all before."""
        if batch.repeats is not None or not batch.is_drafted:
            return
        calls = batch.calls()
        try:
            batch.repeats = find_repeats(self._store, calls)
            batch.heads = self._store.heads(list(calls))
        except Exception as error:  # building in this process finds whose fault it is
            log.warning("calls could not be looked up", error=str(error))
            self._dealer.give_up()

    def _stored(self, batch: Batch) -> Built:
        repeated = list(batch.repeats.stored) if batch.repeats else []
        result = BatchResult(arrived=dict(batch.arrived), repeated_elsewhere=repeated)
        records: list[CarriedRecord] = []
        wanted: dict[TraceKey, Status] = {}
        for task in batch.tasks:
            if task.encoded:
                records += task.encoded.records
                result.add(task.encoded.result)
                wanted.update(task.wanted)
            elif _is_hopeless(task):
                result.failures.update(dict.fromkeys(task.wanted, StuckError(STUCK)))
                wanted.update(task.wanted)
        write_apart(self._carrying.write_carried, self._store, records, result)
        return Built(wanted, result)


def _is_hopeless(task: Task) -> bool:
    return task.is_stuck and len(task.wanted) == 1


def _again(batch: Batch) -> Iterator[Batch]:
    """Yield what was lost: in this process; or each trace alone, if one of them is stuck."""
    for task in batch.tasks:
        if task.is_stuck and not _is_hopeless(task):
            yield from alone(batch, task)
        elif task.is_lost and not task.is_stuck:
            yield Batch(task.wanted)
