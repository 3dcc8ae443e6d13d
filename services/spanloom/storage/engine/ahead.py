"""Runs a query while the answer of the one before it is used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")


def one_ahead(queries: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield the answers in order; never more than one query runs at a time.

    Raises what a query raises, in its turn.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="ahead") as thread:
        running: Future[T] | None = None
        for query in queries:
            following = thread.submit(query)
            if running is not None:
                yield running.result()
            running = following
        if running is not None:
            yield running.result()
