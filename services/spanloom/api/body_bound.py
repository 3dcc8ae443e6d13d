"""The bound on bodies of the API: what it takes is small, and nobody may fill its memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
