"""Runs slow jobs in a few threads, and yields their results as they finish."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import Event

T = TypeVar("T")
LOOK_S = 0.2
"""Maximum seconds until a set ``stopping`` is noticed."""


def run_jobs(
    jobs: Sequence[Callable[[], T]], threads: int, stopping: Event
) -> Iterator[Sequence[T]]:
    """Yield the results of jobs, in batches as they finish.

    A job must not raise. After ``stopping`` is set no further job is started, and running jobs are
    not awaited: their threads end with the process.
    """
    queue: SimpleQueue[Callable[[], T]] = SimpleQueue()
    results: SimpleQueue[T] = SimpleQueue()
    for job in jobs:
        queue.put(job)

    def work() -> None:
        while not stopping.is_set():
            try:
                job = queue.get_nowait()
            except Empty:
                return
            results.put(job())

    for _ in range(min(threads, len(jobs))):
        Thread(target=work, name="online-judge", daemon=True).start()
    left = len(jobs)
    while left and not stopping.is_set():
        if batch := _batch(results):
            left -= len(batch)
            yield batch


def _batch(results: SimpleQueue[T]) -> Sequence[T]:
    """Return all finished results; waits up to ``LOOK_S`` seconds for the first."""
    batch: list[T] = []
    try:
        batch.append(results.get(timeout=LOOK_S))
        while True:
            batch.append(results.get_nowait())
    except Empty:
        return batch
