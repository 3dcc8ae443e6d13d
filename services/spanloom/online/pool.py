"""Runs slow jobs in a few threads, and gives what they return as soon as it is there."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import Event

T = TypeVar("T")
LOOK_S = 0.2
"""Seconds until a stop is noticed."""


def run_jobs(
    jobs: Sequence[Callable[[], T]], threads: int, stopping: Event
) -> Iterator[Sequence[T]]:
    """Yield what the jobs return, in batches of all that has come meanwhile.

    A job raises nothing. Once the process stops, no further job is begun, and those that run are
    not waited for: their threads end with the process.
    """
    waiting: SimpleQueue[Callable[[], T]] = SimpleQueue()
    came: SimpleQueue[T] = SimpleQueue()
    for job in jobs:
        waiting.put(job)

    def work() -> None:
        while not stopping.is_set():
            try:
                job = waiting.get_nowait()
            except Empty:
                return
            came.put(job())

    for _ in range(min(threads, len(jobs))):
        Thread(target=work, name="online-judge", daemon=True).start()
    left = len(jobs)
    while left and not stopping.is_set():
        if batch := _batch(came):
            left -= len(batch)
            yield batch


def _batch(came: SimpleQueue[T]) -> Sequence[T]:
    """Return all that has come; waits ``LOOK_S`` for the first one."""
    batch: list[T] = []
    try:
        batch.append(came.get(timeout=LOOK_S))
        while True:
            batch.append(came.get_nowait())
    except Empty:
        return batch
