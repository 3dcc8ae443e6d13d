"""Limits: the size of request bodies, and the number and duration of blocking calls."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.ports.importing import MOST_BYTES

MAX_BODY_BYTES = 64 * 1024
MAX_ROWS_BYTES = 32 << 20
"""Enough for 10,000 annotations, scores or items; only authenticated callers may send these."""
IMPORTS = "/v1/imports"
_ROWS = re.compile(
    r"/annotations(/import|/bulk|/potato)?$|^/v1/scores$|^/v1/datasets/[^/]+/items$|^/v1/queues/"
)


class BodyBound:
    """The innermost middleware: returns 413 if a request body exceeds the limit of its path."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application that handles ``HTTPException``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; count the body as it arrives, regardless of ``Content-Length``."""
        most = left = _most_of(scope.get("path", ""))

        async def bounded() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(
                    413,
                    f"A body may have {most} bytes here.",
                    {"Connection": "close"},  # the rest of the body is not read
                )
            return message

        await self._app(scope, bounded, send)


def _most_of(path: str) -> int:
    """Return the maximum bytes of a body at a path."""
    if path == IMPORTS:
        return MOST_BYTES
    return MAX_ROWS_BYTES if _ROWS.search(path) else MAX_BODY_BYTES


P = ParamSpec("P")
T = TypeVar("T")


class BoundedCalls:
    """A thread pool of the API, so that a slow store never blocks threads of other components.

    The caller of a call that takes too long gets an error. The call itself continues and occupies
    its thread until it ends, so that at most ``workers`` calls run at a time.
    """

    def __init__(self, workers: int, timeout_s: float) -> None:
        """Set the limits; threads start with the first calls."""
        self._timeout_s = timeout_s
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="api-store")

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the call in a thread; raises ``StoreUnavailableError`` after ``timeout_s``."""
        future = self._pool.submit(call, *args, **kwargs)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._timeout_s)
        except TimeoutError as error:
            raise StoreUnavailableError(
                f"The store did not answer within {self._timeout_s:g} s."
            ) from error

    def close(self) -> None:
        """Accept no more calls and cancel calls that have not started."""
        self._pool.shutdown(wait=False, cancel_futures=True)
