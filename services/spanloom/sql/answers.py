"""Responses and errors in the format of ClickHouse's HTTP interface: status, headers, body."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.access.headers import SECURITY_HEADERS
from spanloom.core.ports.sql import SqlError
from spanloom.sql import codings, frames
from spanloom.sql.requests import content_type, is_on, is_query_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Send

    from spanloom.core.ports.sql import SqlAnswer, SqlFacts
    from spanloom.sql.reader import Outcome
    from spanloom.sql.requests import Query


_BY_CODE = {
    **dict.fromkeys((194, 516), 401),  # REQUIRED_PASSWORD, AUTHENTICATION_FAILED
    **dict.fromkeys((497, 164), 403),  # ACCESS_DENIED, READONLY
    **dict.fromkeys((60, 81, 372), 404),  # UNKNOWN_TABLE, UNKNOWN_DATABASE, SESSION_NOT_FOUND
    **dict.fromkeys((307,), 413),  # TOO_MANY_BYTES
    **dict.fromkeys((202,), 503),  # TOO_MANY_SIMULTANEOUS_QUERIES
    **dict.fromkeys((48, 344), 501),  # NOT_IMPLEMENTED, SUPPORT_IS_DISABLED
    **dict.fromkeys((62, 47, 46, 36, 42, 43, 53, 6, 27, 70, 72, 73, 115, 456, 457), 400),
    **dict.fromkeys((271, 354, 386, 395, 216, 373, 20, 182, 184, 215), 400),
}
"""The HTTP status, keyed by error code, as in ClickHouse's server; 500 for any other code."""


def status_of(code: int) -> int:
    """Return the HTTP status of an error code."""
    return _BY_CODE.get(code, 500)


_PLAIN = "text/plain; charset=UTF-8"
_CHALLENGE = 'Basic realm="ClickHouse server HTTP API"'
_RETRY_S = 2


class Reply(NamedTuple):
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def text(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a plain text response."""
    return Reply(status, {"content-type": _PLAIN, **(headers or {})}, message.encode())


def success(outcome: Outcome, query: Query) -> Reply:
    """Return the response to a query, compressed as requested."""
    answer, fmt = outcome
    body = answer.body
    headers = {
        "content-type": content_type(fmt),
        "x-clickhouse-query-id": query.query_id,
        "x-clickhouse-summary": _summary(answer),
    }
    if fmt:
        headers["x-clickhouse-format"] = fmt
    if query.in_frames:
        return Reply(200, headers, frames.encode(body))
    if query.coding:
        headers |= {"content-encoding": query.coding, "vary": "Accept-Encoding"}
        body = codings.encode(body, query.coding)
    return Reply(200, headers, body)


def failure(error: SqlError, facts: SqlFacts, arguments: Mapping[str, str]) -> Reply:
    """Return the response for an error, in compressed frames if the client requested them."""
    status = status_of(error.code)
    in_frames = is_on(arguments, "compress")
    headers = {"content-type": _PLAIN, "x-clickhouse-exception-code": str(error.code)}
    if is_query_id(query_id := arguments.get("query_id", "")):
        headers["x-clickhouse-query-id"] = query_id
    if status == 401:
        headers["www-authenticate"] = _CHALLENGE
    if status == 503:
        headers["retry-after"] = str(_RETRY_S)
    body = f"{error} (version {facts.version} (official build))\n".encode()
    try:
        return Reply(status, headers, frames.encode(body) if in_frames else body)
    except SqlError:  # frames need an optional library
        return Reply(status, headers, body)


async def send_reply(reply: Reply, send: Send, facts: SqlFacts) -> None:
    """Send a response with the headers common to all responses."""
    headers = {
        **{name.lower(): value for name, value in SECURITY_HEADERS.items()},
        "x-clickhouse-server-display-name": facts.display_name,
        "x-clickhouse-timezone": facts.timezone,
        **reply.headers,
        "content-length": str(len(reply.body)),
    }
    pairs = [(n.encode("latin-1"), v.encode("latin-1")) for n, v in headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": pairs})
    await send({"type": "http.response.body", "body": reply.body})


def _summary(answer: SqlAnswer) -> str:
    """Return the statistics of a statement as JSON, with numbers as strings as in ClickHouse."""
    took = {
        "read_rows": answer.rows_read,
        "read_bytes": answer.bytes_read,
        "written_rows": answer.rows_written,
        "written_bytes": answer.bytes_written,
        "total_rows_to_read": 0,
        "result_rows": answer.rows,
        "result_bytes": len(answer.body),
        "elapsed_ns": round(answer.elapsed_s * 1e9),
    }
    return orjson.dumps({name: str(value) for name, value in took.items()}).decode()
