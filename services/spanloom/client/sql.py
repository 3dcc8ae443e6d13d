"""Sends statements to a service's SQL port, ClickHouse's HTTP interface, and streams results.

::

    with ask_sql(Address("http://127.0.0.1:8123", key=""), "SELECT 1", "CSV", {}) as answer:
        for piece in answer.pieces: ...
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from spanloom.client.errors import (
    ClientError,
    NotFoundError,
    NotSpanloomError,
    SqlError,
    StatementError,
    UnauthenticatedError,
    UnavailableError,
    UnreachableError,
)
from spanloom.client.http_library import httpx
from spanloom.client.transport import fault
from spanloom.core.model.notation import authority

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.client.address import Address
    from spanloom.client.client import Client

DEFAULT_SQL_URL = "http://127.0.0.1:8123"
CONNECT_S = 10.0
"""Timeout of the connection; the SQL port itself limits how long a statement takes."""
_CODE, _FORMAT = "x-clickhouse-exception-code", "x-clickhouse-format"
_FAILURE = re.compile(
    r"Code: (\d+)\. DB::Exception: (.*) \(([A-Z0-9_]+)\)(?: \(version .*\))?\s*", re.DOTALL
)
_WRONG = frozenset({400, 404, 413})
"""Statuses of errors in the statement."""


def find_sql_url(client: Client) -> str:
    """Return the URL of the SQL port as reported by the service; the default if it reports none.

    The scheme is the same as in the API's URL, so that the key is encrypted if the API uses TLS.
    """
    try:
        port = client.service().sql_port
    except (UnreachableError, NotFoundError):  # the API may be at another URL, or older
        port = None
    if port is None:
        return DEFAULT_SQL_URL
    parts = urlsplit(client.url)
    return f"{parts.scheme}://{authority(parts.hostname or '', port)}"


class SqlPieces(NamedTuple):
    """A result while it is received."""

    format: str
    """ClickHouse's name of the result's format; a ``FORMAT`` in the statement has precedence."""
    is_text: bool
    pieces: Iterator[bytes]


@contextmanager
def ask_sql(
    address: Address, statement: str, fmt: str, settings: Mapping[str, str]
) -> Iterator[SqlPieces]:
    """Send a statement and yield its result in a format, in chunks.

    Raises ``ClientError``: ``StatementError`` if it cannot be parsed, ``SqlError`` if it fails
    otherwise. Leaving the context early closes the connection, which ends the statement.
    """
    try:
        with (
            httpx.Client(timeout=_TIMEOUT, **address.trust) as http,
            http.stream(
                "POST",
                address.url,
                params={"default_format": fmt, **settings},
                content=statement.encode(),
                headers=address.headers,
            ) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise _refused(response, address.url, statement)
            kind = response.headers.get("content-type", "")
            is_text = not kind.startswith("application/octet-stream")
            answered_format = response.headers.get(_FORMAT, "")
            yield SqlPieces(answered_format, is_text, response.iter_bytes())
    except httpx.RequestError as error:
        raise _unreachable(error, address.url) from error


_TIMEOUT = httpx.Timeout(None, connect=CONNECT_S)


def _refused(response: httpx.Response, url: str, statement: str) -> ClientError:
    status, text = response.status_code, response.read().decode(errors="replace")
    match = _FAILURE.fullmatch(text)
    if _CODE not in response.headers or match is None:
        return NotSpanloomError(f"what answers at {url} is no SQL port (HTTP {status})")
    code, message, name = int(match[1]), match[2], match[3]
    if status == httpx.codes.UNAUTHORIZED:
        return UnauthenticatedError(status, name, message)
    if status == httpx.codes.SERVICE_UNAVAILABLE:
        return UnavailableError(status, name, message)
    kind = StatementError if status in _WRONG else SqlError
    return kind(code, name, message, statement)


def _unreachable(error: httpx.RequestError, url: str) -> ClientError:
    failure = fault(error, url, CONNECT_S)
    if isinstance(failure, UnreachableError):
        return UnreachableError(f"no SQL port answers at {url}")
    return failure
