"""ClickHouse's HTTP interface as an ASGI application."""

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
from spanloom.logs import get_logger
from spanloom.sql import answers
from spanloom.sql.reader import SqlCaller
from spanloom.sql.requests import parse_query
from spanloom.sql.running import Runner, Sessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Send
    from starlette.types import Scope as Connection

    from spanloom.access.authenticate import Authenticator
    from spanloom.access.headers import Hosts
    from spanloom.metrics import Metrics
    from spanloom.sql.answers import Reply
    from spanloom.sql.reader import Outcome, Statements
    from spanloom.sql.requests import Query

MAX_BODY_BYTES = 1024 * 1024
BODY_S = 30.0
_CANCELLED = 394


class SqlDoor:
    """Authenticates a request, parses the query, runs it and sends the response."""

    def __init__(
        self,
        statements: Statements,
        authenticator: Authenticator,
        hosts: Hosts,
        metrics: Metrics,
        *,
        at_a_time: int,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        """Run at most ``at_a_time`` statements at once, for keys with the scope ``read``."""
        self._statements = statements
        self._authenticator = authenticator
        self._hosts = hosts
        self._metrics = metrics
        self._at_a_time = at_a_time
        self._max_body_bytes = max_body_bytes
        self._sessions = Sessions()
        self._runner: Runner | None = None
        self._log = get_logger("sql")

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        arguments = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        headers = {n.decode("latin-1").lower(): v.decode("latin-1") for n, v in scope["headers"]}
        reply = await self._reply(scope, receive, arguments, headers)
        await answers.send_reply(reply, send, self._statements.facts)

    def end(self) -> None:
        """Cancel running statements, so that the process can stop without waiting for them."""
        if self._runner:
            self._runner.end()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
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
        if (short := _without_statement(scope, arguments)) is not None:
            return short
        began = perf_counter()
        try:
            reply = await self._answer(scope, receive, arguments, headers)
        except SqlError as error:
            outcome = "cancelled" if error.code == _CANCELLED else "failed"
            reply = answers.failure(error, self._statements.facts, arguments)
        except Exception as error:
            self._log.exception("a statement failed")
            outcome = "failed"
            internal = SqlError(1002, "UNKNOWN_EXCEPTION", f"{type(error).__name__}; see the log")
            reply = answers.failure(internal, self._statements.facts, arguments)
        else:
            outcome = "answered"
        self._metrics.sql_queries.labels(outcome).inc()
        self._metrics.sql_seconds.observe(perf_counter() - began)
        return reply

    async def _answer(
        self,
        scope: Connection,
        receive: Receive,
        arguments: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> Reply:
        caller = self._authenticate(scope, headers)
        body = await self._body(receive)
        query = parse_query(arguments, headers, body, self._max_body_bytes)
        with self._sessions.entered(query, caller):
            return await self._run(query, caller, receive)

    async def _run(self, query: Query, caller: SqlCaller, receive: Receive) -> Reply:
        assert self._runner is not None, "the server has not started"  # noqa: S101

        def call(tag: str) -> Reply:
            with self._metrics.sql_running.track_inprogress():
                outcome: Outcome = self._statements.answer(query, caller, tag)
                return answers.success(outcome, query)

        return await self._runner.run(query, caller, call, partial(_disconnected, receive))

    def _authenticate(self, scope: Connection, headers: Mapping[str, str]) -> SqlCaller:
        """Return the caller; raises ``SqlError`` if the key is invalid or lacks the scope."""
        if scope["method"] == "POST" and "origin" in headers:
            raise SqlError(497, "ACCESS_DENIED", "Web pages cannot send statements")
        try:
            caller = self._authenticator.authenticate(
                _credentials(headers), scope["query_string"].decode("latin-1")
            )
            require(caller, Scope.READ)
        except UnauthenticatedError as error:
            raise SqlError(516, "AUTHENTICATION_FAILED", str(error)) from error
        except PermissionDeniedError as error:
            raise SqlError(497, "ACCESS_DENIED", str(error)) from error
        return SqlCaller(caller.key_id, None if caller.project == ALL_PROJECTS else caller.project)

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


def _without_statement(scope: Connection, arguments: Mapping[str, str]) -> Reply | None:
    """Return the response to a request without a statement, otherwise ``None``."""
    method, path = scope["method"], scope["path"]
    if path in ("/ping", "/replicas_status") and method in ("GET", "HEAD"):
        return answers.text(200, "Ok.\n")
    if path != "/":
        return answers.text(404, "There is no such path: this is ClickHouse's HTTP interface, /\n")
    if method not in ("GET", "HEAD", "POST"):
        return answers.text(405, "This path accepts GET and POST.\n", {"allow": "GET, HEAD, POST"})
    if method != "POST" and not arguments.get("query"):
        return answers.text(200, "Ok.\n")
    return None


def _credentials(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the headers, with ClickHouse's key header added as ``x-api-key``."""
    own = headers.get("x-clickhouse-key", "")
    return [*headers.items(), *([("x-api-key", own)] if own else [])]


async def _disconnected(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
