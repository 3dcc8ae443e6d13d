"""The door: ClickHouse's HTTP interface as an ASGI application."""

from __future__ import annotations

import asyncio
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from spanloom.access.authenticate import require
from spanloom.access.headers import NOT_OURS
from spanloom.core.errors import PermissionDeniedError, UnauthenticatedError
from spanloom.core.model.access import ALL_PROJECTS, Scope
from spanloom.core.ports.sql import SqlError
from spanloom.sql import answers
from spanloom.sql.reader import Asker
from spanloom.sql.requests import read_question
from spanloom.sql.running import Runner
from spanloom.sql.sessions import Sessions
from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Send
    from starlette.types import Scope as Connection

    from spanloom.access.authenticate import Authenticator
    from spanloom.access.headers import Hosts
    from spanloom.sql.answers import Reply
    from spanloom.sql.reader import Outcome, Statements
    from spanloom.sql.requests import Question
    from spanloom.telemetry import Metrics

MAX_BODY_BYTES = 1024 * 1024
BODY_S = 30.0
_CANCELLED = 394


class SqlDoor:
    """Lets in whoever has a key, reads the question and sends the answer."""

    def __init__(
        self,
        statements: Statements,
        authenticator: Authenticator,
        hosts: Hosts,
        metrics: Metrics,
        *,
        at_a_time: int,
        max_body_bytes: int = MAX_BODY_BYTES,
        scope: Scope = Scope.READ,
    ) -> None:
        """Run ``at_a_time`` statements at most; a key needs the scope."""
        self._statements = statements
        self._authenticator = authenticator
        self._hosts = hosts
        self._metrics = metrics
        self._at_a_time = at_a_time
        self._max_body_bytes = max_body_bytes
        self._scope = scope
        self._sessions = Sessions()
        self._runner: Runner | None = None
        self._log = get_logger("sql")

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        arguments = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        headers = {n.decode("latin-1").lower(): v.decode("latin-1") for n, v in scope["headers"]}
        reply = await self._reply(scope, receive, arguments, headers)
        await answers.send_reply(reply, send, self._statements.facts)

    def end(self) -> None:
        """End the statements that run: who stops a service does not wait for dashboards."""
        if self._runner:
            self._runner.end()

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._runner = Runner(self._at_a_time, self._statements.cancel)
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                if self._runner:
                    self._runner.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _reply(
        self,
        scope: Connection,
        receive: Receive,
        arguments: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> Reply:
        if not self._hosts.answers(headers.get("host", "")):
            return answers.text(421, NOT_OURS)
        if (short := _short(scope, arguments)) is not None:
            return short
        began = perf_counter()
        try:
            reply = await self._asked(scope, receive, arguments, headers)
        except SqlError as error:
            outcome = "cancelled" if error.code == _CANCELLED else "failed"
            reply = answers.failed(error, self._statements.facts, arguments)
        except Exception as error:
            self._log.exception("a statement failed")
            outcome = "failed"
            said = SqlError(1002, "UNKNOWN_EXCEPTION", f"{type(error).__name__}; see the log")
            reply = answers.failed(said, self._statements.facts, arguments)
        else:
            outcome = "answered"
        self._metrics.sql_queries.labels(outcome).inc()
        self._metrics.sql_seconds.observe(perf_counter() - began)
        return reply

    async def _asked(
        self,
        scope: Connection,
        receive: Receive,
        arguments: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> Reply:
        asker = self._let_in(scope, headers)
        body = await self._body(receive)
        question = read_question(arguments, headers, body, self._max_body_bytes)
        with self._sessions.entered(question, asker):
            return await self._run(question, asker, receive)

    async def _run(self, question: Question, asker: Asker, receive: Receive) -> Reply:
        assert self._runner is not None, "the server has not started"  # noqa: S101

        def call(tag: str) -> Reply:
            with self._metrics.sql_running.track_inprogress():
                outcome: Outcome = self._statements.answer(question, asker, tag)
                return answers.answered(outcome, question)

        return await self._runner.run(question, asker, call, partial(_gone, receive))

    def _let_in(self, scope: Connection, headers: Mapping[str, str]) -> Asker:
        """Return who asks; raises ``SqlError`` for a key that does not open this door."""
        if scope["method"] == "POST" and "origin" in headers:
            raise SqlError(497, "ACCESS_DENIED", "Nothing is asked on behalf of a web page")
        try:
            caller = self._authenticator.authenticate(
                _credentials(headers), scope["query_string"].decode("latin-1")
            )
            require(caller, self._scope)
        except UnauthenticatedError as error:
            raise SqlError(516, "AUTHENTICATION_FAILED", str(error)) from error
        except PermissionDeniedError as error:
            raise SqlError(497, "ACCESS_DENIED", str(error)) from error
        return Asker(caller.key_id, None if caller.project == ALL_PROJECTS else caller.project)

    async def _body(self, receive: Receive) -> bytes:
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_S):
                while True:
                    message = await receive()
                    body += message.get("body", b"")
                    if len(body) > self._max_body_bytes:
                        raise SqlError(
                            *(307, "TOO_MANY_BYTES"),
                            f"A body may have {self._max_body_bytes} bytes",
                        )
                    if not message.get("more_body"):
                        return bytes(body)
        except TimeoutError:
            raise SqlError(159, "TIMEOUT_EXCEEDED", "The body came too slowly") from None


def _short(scope: Connection, arguments: Mapping[str, str]) -> Reply | None:
    """Return the answer to what asks nothing of the store."""
    method, path = scope["method"], scope["path"]
    if path in ("/ping", "/replicas_status") and method in ("GET", "HEAD"):
        return answers.text(200, "Ok.\n")
    if path != "/":
        return answers.text(404, "There is no such path: this is ClickHouse's HTTP interface, /\n")
    if method not in ("GET", "HEAD", "POST"):
        return answers.text(405, "GET and POST are taken here.\n", {"allow": "GET, HEAD, POST"})
    if method != "POST" and not arguments.get("query"):
        return answers.text(200, "Ok.\n")
    return None


def _credentials(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the headers that may carry a key; ClickHouse's own header counts as ``x-api-key``."""
    own = headers.get("x-clickhouse-key", "")
    return [*headers.items(), *([("x-api-key", own)] if own else [])]


async def _gone(receive: Receive) -> None:
    """Return when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
