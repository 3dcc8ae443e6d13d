"""Cuts batches into tasks, assigns the tasks to workers, and records the workers' answers."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import count, islice
from typing import TYPE_CHECKING

from spanloom.core.ports.spans import NOTHING_ARRIVED
from spanloom.extractor.time_limit import UNLIMITED, BatchLimit, limit_s
from spanloom.extractor.workers.messages import Drafted, Encoded, Failed, Known, Spans
from spanloom.extractor.workers.pool import WorkerGoneError
from spanloom.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import CarriedSpans, CarryingStore
    from spanloom.core.ports.calls import Call
    from spanloom.core.ports.spans import Arrived
    from spanloom.core.ports.trajectories import Head
    from spanloom.extractor.duplicates import Repeats
    from spanloom.extractor.workers.messages import Answer
    from spanloom.extractor.workers.pool import Pool, Worker


TASK_SPANS = 2_500
"""Approximate number of spans in a task: a quarter of a second of CPU time, some megabytes."""
LONG_SPANS = 20_000
"""Larger traces are built in the owner's process.

They are read with several queries, and need more memory than a worker may use.
"""
_numbers = count(1)


@dataclass(slots=True, eq=False)
class Task:
    """A group of traces that one worker builds."""

    traces: Mapping[TraceKey, Status]
    arrived: Mapping[TraceKey, Arrived]
    number: int = field(default_factory=lambda: next(_numbers))
    carried: CarriedSpans | None = None
    """The spans of the traces, from reading them until they are sent."""
    worker: Worker | None = None
    """The worker that has the spans; ``None`` before they are sent."""
    calls: Mapping[TraceKey, Sequence[Call]] | None = None
    """The calls of each extracted trace; ``None`` until the worker has sent ``Drafted``."""
    left: AbstractSet[TraceKey] = frozenset()
    """Traces that the owner's process must build (``Drafted.left``)."""
    has_known: bool = False
    """Whether ``Known`` was sent to the worker."""
    encoded: Encoded | None = None
    is_lost: bool = False
    """Whether the task must be built again: its worker failed or ended, or reading spans failed."""
    is_stuck: bool = False
    """Whether a worker exceeded its CPU time limit with this task."""

    @property
    def span_count(self) -> int:
        """The number of arrived spans of its traces, including spans that were sent again."""
        return sum(self.arrived[key].spans for key in self.traces if key in self.arrived)

    @property
    def is_over(self) -> bool:
        """Whether no worker has to do anything more for the task."""
        return self.is_lost or self.encoded is not None


@dataclass(slots=True, eq=False)
class Batch:
    """Traces that are looked up and stored together."""

    traces: Mapping[TraceKey, Status]
    arrived: Mapping[TraceKey, Arrived] = field(default_factory=dict)
    tasks: Sequence[Task] = ()
    """The tasks; empty if the batch is built in this process."""
    repeats: Repeats | None = None
    """Duplicates of the batch's calls; ``None`` before they are looked up."""
    heads: Mapping[TraceKey, Head] = field(default_factory=dict)
    limit: BatchLimit = UNLIMITED
    """The limits of all traces that were requested together, for builds in this process."""

    @property
    def is_drafted(self) -> bool:
        """Whether the calls of all its tasks, except lost tasks, are known."""
        return all(task.is_lost or task.calls is not None for task in self.tasks)

    @property
    def is_over(self) -> bool:
        """Whether no worker has to do anything more for the batch."""
        return all(task.is_over for task in self.tasks)

    def calls(self) -> Mapping[TraceKey, Sequence[Call]]:
        """Return the calls of each extracted trace, without the traces in lost tasks."""
        drafted = (task.calls for task in self.tasks if task.calls and not task.is_lost)
        return {key: own for calls in drafted for key, own in calls.items()}


def cut(
    requested: Mapping[TraceKey, Status], arrived: Mapping[TraceKey, Arrived]
) -> Iterator[Task]:
    """Cut traces into tasks of about ``TASK_SPANS`` spans, in order."""
    some: dict[TraceKey, Status] = {}
    spans = 0
    for key, status in requested.items():
        own = arrived.get(key, NOTHING_ARRIVED).spans
        if some and spans + own > TASK_SPANS:
            yield Task(some, _of(some, arrived))
            some, spans = {}, 0
        some[key] = status
        spans += own
    if some:
        yield Task(some, _of(some, arrived))


def _of(
    traces: Mapping[TraceKey, Status], arrived: Mapping[TraceKey, Arrived]
) -> Mapping[TraceKey, Arrived]:
    return {key: arrived[key] for key in traces if key in arrived}


def alone(batch: Batch, task: Task) -> Iterator[Batch]:
    """Yield each trace of a task as a separate batch."""
    for key, status in task.traces.items():
        one = {key: status}
        tasks = [Task(one, _of(one, batch.arrived))]
        yield Batch(one, batch.arrived, tasks, limit=batch.limit)


READ_AT_ONCE = 4
"""Number of tasks whose spans are read with one query; smaller queries cost nearly as much."""
log = get_logger("extractor")


class Dealer:
    """Assigns the tasks of the batches in progress, starting with the first batch."""

    def __init__(self, carrying: CarryingStore, pool: Pool, least_s: float) -> None:
        """Assign tasks to a pool; the CPU time limit of a round is at least ``least_s`` seconds."""
        self.batches: deque[Batch] = deque()
        self._carrying = carrying
        self._pool = pool
        self._least_s = least_s

    def deal(self) -> None:
        """Send ``Known`` for the first batch to its workers, and unsent tasks to free workers."""
        batch = self.batches[0]
        for task in batch.tasks:
            if batch.repeats is not None and task.worker and not (task.has_known or task.is_over):
                self._send_known(batch, task, task.worker)
        unsent = deque(t for b in self.batches for t in b.tasks if not (t.worker or t.is_over))
        while unsent and (worker := self._pool.with_room()) is not None:
            if unsent[0].carried is None:
                self._read(list(islice(unsent, READ_AT_ONCE)))
            self._send(unsent.popleft(), worker)
        if not self._pool.workers:  # workers cannot be started
            self.give_up()

    def _send_known(self, batch: Batch, task: Task, worker: Worker) -> None:
        if not worker.has_room or batch.repeats is None:
            return
        keys, originals = task.traces, batch.repeats.originals
        task.has_known = True
        worker.ask(
            Known(
                task.number,
                {key: originals[key] for key in keys if key in originals},
                {key: batch.heads[key] for key in keys if key in batch.heads},
                self._limit_s(task),
            )
        )

    def _read(self, tasks: Sequence[Task]) -> None:
        """Read the spans of tasks with one query; if that fails, one query per task."""
        try:
            groups = [list(task.traces) for task in tasks]
            for task, carried in zip(tasks, self._carrying.spans.carry_spans(groups), strict=True):
                task.carried = carried
        except Exception:  # too large for the store's memory, or damaged: built in process
            if len(tasks) == 1:
                tasks[0].is_lost = True
                return
            for task in tasks:
                self._read([task])

    def _send(self, task: Task, worker: Worker) -> None:
        if task.carried is not None:
            task.worker = worker
            limit_s = self._limit_s(task)
            worker.ask(Spans(task.number, task.traces, task.carried, task.arrived, limit_s))
            task.carried = None

    def _limit_s(self, task: Task) -> float:
        return limit_s(task.span_count, self._least_s)

    def listen(self) -> None:
        """Wait until workers have answered or ended, and record that in their tasks.

        Returns at once if no worker has an open request, which happens if reading the spans of all
        tasks has failed.
        """
        if not any(worker.is_awaited for worker in self._pool.workers):
            return
        for worker in self._pool.wait_for_answers():
            try:
                question, answer = worker.listen()
            except WorkerGoneError as gone:
                self._lose(worker, gone)
                continue
            if question is not None:
                self._pool.note_answer()
                self._take(self._task(question.task), answer)

    def _take(self, task: Task, answer: Answer) -> None:
        match answer:
            case Drafted(calls, left):
                task.calls, task.left = calls, left
            case Encoded():
                task.encoded = answer
            case Failed(error):
                log.warning("a worker could not build; it is done in process", error=error)
                task.is_lost = True

    def _lose(self, worker: Worker, gone: WorkerGoneError) -> None:
        self._pool.note_death(worker, str(gone))
        current = worker.under_way[0].task if worker.under_way else None
        for task in self._tasks():
            if task.worker is worker and not task.is_over:
                task.is_lost = True
                task.is_stuck = gone.is_stuck and task.number == current

    def give_up(self) -> None:
        """End all workers; unfinished tasks are lost."""
        self._pool.end()
        for task in self._tasks():
            task.is_lost = not task.encoded

    def _tasks(self) -> Iterator[Task]:
        return (task for batch in self.batches for task in batch.tasks)

    def _task(self, number: int) -> Task:
        return next(task for task in self._tasks() if task.number == number)
