"""Requests over HTTP: a small ASGI application, a transport and nothing else."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from google.rpc.code_pb2 import Code

from spanloom.collector.doors.decompress import decompress
from spanloom.collector.doors.door import Received
from spanloom.collector.doors.http_doors import make_doors
from spanloom.collector.doors.http_messages import (
    CLOSE,
    Answer,
    ClientGoneError,
    HttpRefusalError,
    RequestHead,
    answer_error,
    read_chunks,
)
from spanloom.collector.doors.status import status_codes
from spanloom.core.errors import (
    OverloadedError,
    RequestTooLargeError,
    UnsupportedEncodingError,
)
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from spanloom.collector.doors.door import Door, Taken
    from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits


def create_app(
    exporter: Exporter, limits: Limits, langfuse: LangfuseIngestion | None = None
) -> ASGIApp:
    """Make the application for OTLP and for every other front door (``http_doors.py``)."""
    return HttpReceiver(exporter, limits, make_doors(exporter, limits, langfuse))


class HttpReceiver:
    """Reads requests within bounds, has them handled in threads, writes the answers."""

    def __init__(self, exporter: Exporter, limits: Limits, doors: Mapping[str, Door]) -> None:
        """Prepare the threads in which requests wait for their fsync."""
        self._exporter = exporter
        self._limits = limits
        self._doors = doors
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="otlp-http")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection scope; only HTTP is served."""
        if scope["type"] != "http":
            return
        head = RequestHead.of(scope)
        try:
            answer = await self._answer(head, receive)
        except ClientGoneError:
            return
        await answer.send(send, head)

    async def _answer(self, head: RequestHead, receive: Receive) -> Answer:
        """Give an answer whatever happens: each error becomes a status in the right form."""
        door = self._doors.get(head.path)
        signal = "unknown" if door is None else door.signal
        try:
            taken = await self._take_or_stop(head, receive, door)
        except ClientGoneError:
            raise
        except HttpRefusalError as refusal:
            return refusal.answer(head)
        except Exception as error:  # the boundary
            codes = status_codes(error)
            self._exporter.count_request(signal, "http", codes.outcome)
            if codes.http == 500:
                get_logger("http").error("a request failed", exc_info=error)
            return answer_error(error, head) if door is None else door.refuse(error, head)
        self._exporter.count_request(signal, "http", taken.outcome)
        return taken.answer

    async def _take_or_stop(self, head: RequestHead, receive: Receive, door: Door | None) -> Taken:
        """Take a request; one that is cut because the server ends may be sent again."""
        try:
            return await self._take(head, receive, door)
        except asyncio.CancelledError:
            raise OverloadedError("The service is stopping: try again.") from None

    async def _take(self, head: RequestHead, receive: Receive, door: Door | None) -> Taken:
        if door is None:
            raise HttpRefusalError(
                404,
                Code.NOT_FOUND,
                f"There is nothing at this path; use {', '.join(self._doors)}.",
            )
        if head.method != "POST":
            raise HttpRefusalError(405, Code.UNIMPLEMENTED, "Use POST.", ((b"allow", b"POST"),))
        if door.reads is not None and head.encoding not in door.reads:
            kinds = " or ".join(sorted(door.reads, reverse=True))
            raise UnsupportedEncodingError(f"The Content-Type must be {kinds}.")
        body = await self._read_body(head, receive)

        def decompress_and_take() -> Taken:
            inflated = decompress(body, head.coding, self._limits)
            with self._exporter.handling(len(inflated)):
                return door.take(Received(inflated, head))

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, decompress_and_take)

    async def _read_body(self, head: RequestHead, receive: Receive) -> bytes:
        """Read the whole body, within the size and time limits and the bytes in flight."""
        limit = self._limits.max_request_bytes
        too_large = f"The request is larger than {limit} bytes: send smaller batches."
        if head.content_length > limit:
            raise RequestTooLargeError(too_large)
        chunks: list[bytes] = []
        size = 0
        with self._exporter.budget.reserve() as share:
            try:
                async with asyncio.timeout(self._limits.body_timeout_s):
                    async for chunk in read_chunks(receive):
                        size += len(chunk)
                        if size > limit:
                            raise RequestTooLargeError(too_large)
                        share.grow(len(chunk))
                        chunks.append(chunk)
            except TimeoutError:
                raise HttpRefusalError(
                    408, Code.DEADLINE_EXCEEDED, "The body took too long.", CLOSE
                ) from None
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)
