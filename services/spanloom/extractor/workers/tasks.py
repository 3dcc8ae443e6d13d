"""Work in progress: batches of traces, each cut into tasks; a task goes to one worker."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import Call, CarriedSpans, Head
    from spanloom.extractor.duplicates import Repeats
    from spanloom.extractor.workers.messages import Encoded
    from spanloom.extractor.workers.worker import Worker

TASK_SPANS = 2_500
"""Approximate spans of a task: a quarter of a second of work, and some megabytes to send."""
LONG_SPANS = 20_000
"""Larger traces are built in the owner's process: they are read in slices, and need more memory
than a worker may use."""
_numbers = count(1)


@dataclass(slots=True, eq=False)
class Task:
    """Traces whose spans go to one worker."""

    traces: Mapping[TraceKey, Status]
    span_count: int
    number: int = field(default_factory=lambda: next(_numbers))
    carried: CarriedSpans | None = None
    """Its spans, after they are read and before they are sent."""
    worker: Worker | None = None
    """The worker that has its spans; ``None`` before they are sent."""
    calls: Mapping[TraceKey, Sequence[Call]] | None = None
    """The calls of each extracted trace; ``None`` before it is drafted."""
    has_known: bool = False
    """Whether ``Known`` was sent to the worker."""
    encoded: Encoded | None = None
    is_lost: bool = False
    """Whether it is to be built again: its worker failed or ended, or its spans are unreadable."""
    is_stuck: bool = False
    """Whether this task exceeded the CPU time limit of its worker."""

    @property
    def is_over(self) -> bool:
        """Whether no worker has any work left for it."""
        return self.is_lost or self.encoded is not None


@dataclass(slots=True, eq=False)
class Batch:
    """Traces that are looked up and stored together."""

    traces: Mapping[TraceKey, Status]
    arrived: Mapping[TraceKey, int] = field(default_factory=dict)
    tasks: Sequence[Task] = ()
    """Empty if the batch is built in this process."""
    repeats: Repeats | None = None
    """Duplicates of its calls; ``None`` before they are looked up."""
    heads: Mapping[TraceKey, Head] = field(default_factory=dict)

    @property
    def is_drafted(self) -> bool:
        """Whether the calls of all its tasks are known, except lost ones."""
        return all(task.is_lost or task.calls is not None for task in self.tasks)

    @property
    def is_over(self) -> bool:
        """Whether no worker has any work left for it."""
        return all(task.is_over for task in self.tasks)

    def calls(self) -> Mapping[TraceKey, Sequence[Call]]:
        """Return the calls of each extracted trace, except those of lost tasks."""
        drafted = (task.calls for task in self.tasks if task.calls and not task.is_lost)
        return {key: own for calls in drafted for key, own in calls.items()}


def cut(requested: Mapping[TraceKey, Status], arrived: Mapping[TraceKey, int]) -> Iterator[Task]:
    """Cut traces into tasks of about ``TASK_SPANS`` spans, in order."""
    some: dict[TraceKey, Status] = {}
    spans = 0
    for key, status in requested.items():
        own = arrived.get(key, 0)
        if some and spans + own > TASK_SPANS:
            yield Task(some, spans)
            some, spans = {}, 0
        some[key] = status
        spans += own
    if some:
        yield Task(some, spans)


def alone(batch: Batch, task: Task) -> Iterator[Batch]:
    """Yield each trace of a task as a batch of its own."""
    for key, status in task.traces.items():
        one = {key: status}
        yield Batch(one, batch.arrived, [Task(one, batch.arrived.get(key, 0))])
