"""Bounds: the size of bodies, and blocking calls few at a time and none for too long."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spanloom.core.errors import StoreUnavailableError

MAX_BODY_BYTES = 64 * 1024
MAX_ROWS_BYTES = 32 << 20
"""Of 10,000 annotations or scores; the Doorkeeper has let their sender in."""
_ROWS = re.compile(r"/annotations(/import|/bulk|/potato)?$|^/v1/scores$|^/v1/queues/")


class BodyBound:
    """The innermost layer: a route that reads more than its bound is answered 413."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application that answers ``HTTPException``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; count its body as it arrives, whatever its length is said to be."""
        most = MAX_ROWS_BYTES if _ROWS.search(scope.get("path", "")) else MAX_BODY_BYTES
        left = most

        async def bounded() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(
                    413,
                    f"A body may have {most} bytes here.",
                    {"Connection": "close"},  # the rest of it is not worth reading
                )
            return message

        await self._app(scope, bounded, send)


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
