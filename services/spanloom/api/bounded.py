"""Calls that block, made from asynchronous code: few at a time, none for too long."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from spanloom.core.errors import StoreUnavailableError

P = ParamSpec("P")
T = TypeVar("T")


class BoundedCalls:
    """Threads of the API's own, so that a slow store never takes another part's threads.

    A call that does not end in time is answered for and left to end by itself; it keeps its
    thread until then, so there are never more than ``workers`` of them.
    """

    def __init__(self, workers: int, timeout_s: float) -> None:
        """Set the bounds; threads start with the calls."""
        self._timeout_s = timeout_s
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="api-store")

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make the call; raise ``StoreUnavailableError`` if it takes too long."""
        future = self._pool.submit(call, *args, **kwargs)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._timeout_s)
        except TimeoutError as error:
            raise StoreUnavailableError(
                f"The store did not answer within {self._timeout_s:g} s."
            ) from error

    def close(self) -> None:
        """Take no more calls and forget those that wait."""
        self._pool.shutdown(wait=False, cancel_futures=True)
