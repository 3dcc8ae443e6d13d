"""The HTTP transport of the collector: a small ASGI application."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from google.rpc.code_pb2 import Code

from spanloom.access.authenticate import require
from spanloom.access.headers import NOT_OURS, Hosts
from spanloom.access.refusals import Cause, RefusalLog
from spanloom.collector.doors.cozeloop import make_cozeloop_doors
from spanloom.collector.doors.decompress import decompress
from spanloom.collector.doors.door import Received, find_door
from spanloom.collector.doors.http_messages import (
    Answer,
    ClientGoneError,
    HttpRefusalError,
    RequestHead,
    answer_error,
    read_body,
)
from spanloom.collector.doors.invariant.door import make_invariant_doors
from spanloom.collector.doors.langfuse.ingestion import make_langfuse_doors
from spanloom.collector.doors.otlp.door import make_otlp_doors
from spanloom.collector.doors.status import status_codes
from spanloom.core.errors import OverloadedError, UnsupportedEncodingError
from spanloom.core.model.access import ANYBODY, Scope
from spanloom.logs import get_logger
from spanloom.threads import start_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Receive, Send
    from starlette.types import Scope as Connection

    from spanloom.access.authenticate import Authenticator
    from spanloom.collector.doors.door import Accepted, Door
    from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
    from spanloom.collector.intake.admission import Reservation
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits


_SENDS = frozenset({"POST", "PUT"})


def make_doors(
    exporter: Exporter, limits: Limits, langfuse: LangfuseIngestion | None
) -> Mapping[str, Door]:
    """Return the endpoints, keyed by path; those of Langfuse only if ``langfuse`` is set."""
    return {
        **make_otlp_doors(exporter, limits),
        **make_cozeloop_doors(exporter, limits),
        **make_invariant_doors(exporter, limits),
        **(make_langfuse_doors(langfuse) if langfuse is not None else {}),
    }


def create_app(
    exporter: Exporter,
    limits: Limits,
    authenticator: Authenticator,
    langfuse: LangfuseIngestion | None = None,
    hosts: Hosts | None = None,
) -> ASGIApp:
    """Create the application that serves OTLP, Coze Loop, Invariant and Langfuse."""
    doors = make_doors(exporter, limits, langfuse)
    return HttpReceiver(exporter, limits, authenticator, doors, hosts or Hosts())


class HttpReceiver:
    """Reads requests within limits, handles them in threads, writes the responses."""

    def __init__(
        self,
        exporter: Exporter,
        limits: Limits,
        authenticator: Authenticator,
        doors: Mapping[str, Door],
        hosts: Hosts,
    ) -> None:
        """Create the thread pool in which handlers wait for the fsync.

        If a request has no API key, its Host header must name one of ``hosts``.
        """
        self._exporter = exporter
        self._limits = limits
        self._authenticator = authenticator
        self._doors = doors
        self._hosts = hosts
        self._threads = start_pool(limits.workers, "otlp-http")
        self._waiting = 0
        self._refusals = RefusalLog()

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection scope; only HTTP is served."""
        if scope["type"] != "http":
            return
        head = RequestHead.of(scope)
        with self._exporter.budget.reserve() as share:
            try:
                answer = await self._answer(head, receive, share)
            except ClientGoneError:
                return
            await answer.send(send, head)

    async def _answer(self, head: RequestHead, receive: Receive, share: Reservation) -> Answer:
        """Return the response; an error becomes a response in the format of the endpoint."""
        door = find_door(self._doors, head.path)
        signal = "unknown" if door is None else door.signal
        try:
            accepted = await self._handle_or_stop(head, receive, door, share)
        except ClientGoneError:
            raise
        except HttpRefusalError as refusal:
            self._note(head, refusal.reason, refusal)
            return refusal.answer(head)
        except Exception as error:  # any error becomes a response
            codes = status_codes(error)
            self._exporter.count_request(signal, "http", codes.outcome)
            self._note(head, codes.outcome, error)
            if codes.http == 500:
                get_logger("http").error("a request failed", exc_info=error)
            return answer_error(error, head) if door is None else door.refuse(error, head)
        self._exporter.count_request(signal, "http", accepted.outcome)
        return accepted.answer

    def _note(self, head: RequestHead, reason: str, error: Exception) -> None:
        """Log that a POST or PUT was refused; other methods do not send telemetry."""
        if head.method in _SENDS:
            self._refusals.note(Cause(reason, head.path, head.peer), str(error))

    async def _handle_or_stop(
        self, head: RequestHead, receive: Receive, door: Door | None, share: Reservation
    ) -> Accepted:
        """Handle a request; raises ``OverloadedError`` if a shutdown of the server cancels it."""
        try:
            return await self._handle(head, receive, door, share)
        except asyncio.CancelledError:
            raise OverloadedError("The service is stopping: try again.") from None

    async def _handle(
        self, head: RequestHead, receive: Receive, door: Door | None, share: Reservation
    ) -> Accepted:
        caller = self._authenticator.authenticate(head.key_headers, head.query, only_sends=True)
        if caller == ANYBODY and not self._hosts.answers(head.host):
            raise HttpRefusalError(421, Code.FAILED_PRECONDITION, NOT_OURS)
        if door is None:
            raise HttpRefusalError(
                404,
                Code.NOT_FOUND,
                f"There is nothing at this path; use {', '.join(self._doors)}.",
            )
        if head.method != door.method:
            allowed = ((b"allow", door.method.encode()),)
            raise HttpRefusalError(405, Code.UNIMPLEMENTED, f"Use {door.method}.", allowed)
        require(caller, Scope.INGEST)
        self._exporter.admit(caller.key_project)
        if door.reads is not None and head.encoding not in door.reads:
            kinds = " or ".join(sorted(door.reads, reverse=True))
            raise UnsupportedEncodingError(f"The Content-Type must be {kinds}.")
        body = await read_body(head, receive, share, self._limits)

        def decompress_and_handle() -> Accepted:
            with self._exporter.inflating(share, caller.key_project):
                inflated = decompress(body, head.coding, self._limits, share)
            with self._exporter.handling(len(inflated), caller.key_project):
                return door.take(Received(inflated, head, caller.key_project, share))

        return await self._in_thread(decompress_and_handle)

    async def _in_thread(self, handle: Callable[[], Accepted]) -> Accepted:
        """Run a handler in a thread; raises ``OverloadedError`` if too many requests wait."""
        if self._waiting >= self._limits.max_waiting:
            raise OverloadedError("Too many requests are waiting: try again.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, handle)
        finally:
            self._waiting -= 1
