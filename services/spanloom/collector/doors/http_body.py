"""Reading the body of an HTTP request: within its size, its time and the bytes in flight."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from google.rpc.code_pb2 import Code

from spanloom.collector.doors.http_messages import CLOSE, ClientGoneError, HttpRefusalError
from spanloom.core.errors import RequestTooLargeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.intake.budget import Reservation
    from spanloom.collector.intake.limits import Limits


async def read_body(
    head: RequestHead, receive: Receive, share: Reservation, limits: Limits
) -> bytes:
    """Return the whole body as it was sent; ``share`` grows while it arrives.

    A body may take ``body_grace_s``, and a second more for each ``min_body_rate`` bytes that
    have come, but never longer than ``body_timeout_s``. Raises ``RequestTooLargeError``,
    ``OverloadedError``, ``HttpRefusalError`` (408) and ``ClientGoneError``.
    """
    limit = limits.max_request_bytes
    too_large = f"The request is larger than {limit} bytes: send smaller batches."
    if head.content_length > limit:
        raise RequestTooLargeError(too_large)
    chunks: list[bytes] = []
    size = 0
    began = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(began + _patience_s(0, limits)) as patience:
            async for chunk in _read_chunks(receive):
                size += len(chunk)
                if size > limit:
                    raise RequestTooLargeError(too_large)
                share.grow(len(chunk))
                chunks.append(chunk)
                patience.reschedule(began + _patience_s(size, limits))
    except TimeoutError:
        raise HttpRefusalError(
            408, Code.DEADLINE_EXCEEDED, "The body came too slowly.", CLOSE
        ) from None
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _patience_s(size: int, limits: Limits) -> float:
    """Return how many seconds a body may have taken to bring ``size`` bytes."""
    return min(limits.body_grace_s + size / limits.min_body_rate, limits.body_timeout_s)


async def _read_chunks(receive: Receive) -> AsyncIterator[bytes]:
    """Yield the body as it arrives; ``ClientGoneError`` if it ends early."""
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGoneError
        more = message.get("more_body", False)
        if chunk := message.get("body", b""):
            yield chunk
