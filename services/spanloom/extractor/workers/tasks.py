"""What is under way: batches of traces, each cut into tasks that a worker takes as one."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status
    from spanloom.core.ports.building import Call, Head
    from spanloom.core.ports.carried import CarriedSpans
    from spanloom.extractor.duplicates import Repeats
    from spanloom.extractor.workers.messages import Encoded
    from spanloom.extractor.workers.worker import Worker

TASK_SPANS = 2_500
"""Spans of a task, about: a quarter of a second of work, and some megabytes on the way."""
LONG_SPANS = 20_000
"""A trace with more is built in the process that has the store: it comes in slices, and takes
more memory than a worker may."""
_numbers = count(1)


@dataclass(slots=True, eq=False)
class Task:
    """Traces whose spans go to one worker."""

    wanted: Mapping[TraceKey, Status]
    span_count: int
    number: int = field(default_factory=lambda: next(_numbers))
    carried: CarriedSpans | None = None
    """Its spans, between reading and sending them."""
    worker: Worker | None = None
    """Who has its spans; ``None`` before they are sent."""
    calls: Mapping[TraceKey, Sequence[Call]] | None = None
    """Each of its traces that could be read to its calls; ``None`` before it is drafted."""
    is_told: bool = False
    """Whether the worker was told what the store knows."""
    encoded: Encoded | None = None
    is_lost: bool = False
    """Whether its worker has ended: it has to be built again."""
    is_stuck: bool = False
    """Whether it is this task that took the worker too long."""

    @property
    def is_over(self) -> bool:
        """Whether no worker has anything to do for it."""
        return self.is_lost or self.encoded is not None


@dataclass(slots=True, eq=False)
class Batch:
    """Traces that are looked up and stored together."""

    wanted: Mapping[TraceKey, Status]
    arrived: Mapping[TraceKey, int] = field(default_factory=dict)
    tasks: Sequence[Task] = ()
    """Empty where it is built in this process."""
    repeats: Repeats | None = None
    """What its calls repeat; ``None`` before it was looked up."""
    heads: Mapping[TraceKey, Head] = field(default_factory=dict)

    @property
    def is_drafted(self) -> bool:
        """Whether the calls of all its tasks are known, but for those that are lost."""
        return all(task.is_lost or task.calls is not None for task in self.tasks)

    @property
    def is_over(self) -> bool:
        """Whether workers have done all they can do for it."""
        return all(task.is_over for task in self.tasks)

    def calls(self) -> Mapping[TraceKey, Sequence[Call]]:
        """Return each trace that could be read to its calls, but for those that are lost."""
        drafted = (task.calls for task in self.tasks if task.calls and not task.is_lost)
        return {key: own for calls in drafted for key, own in calls.items()}


def cut(wanted: Mapping[TraceKey, Status], arrived: Mapping[TraceKey, int]) -> Iterator[Task]:
    """Cut traces into tasks, neighbours together."""
    some: dict[TraceKey, Status] = {}
    spans = 0
    for key, status in wanted.items():
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
    for key, status in task.wanted.items():
        one = {key: status}
        yield Batch(one, batch.arrived, [Task(one, batch.arrived.get(key, 0))])
