"""Sends the tools' requests to the API, so that keys and projects limit what agents read."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import httpx
import orjson
from mcp.server.mcpserver.exceptions import ToolError

from spanloom.client.async_client import AsyncClient
from spanloom.client.errors import ClientError
from spanloom.client.moments import milliseconds_of
from spanloom.client.request import Call, body_of, get
from spanloom.mcp.data import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.types import ASGIApp

    from spanloom.client.address import Address

    Headers = Mapping[str, str] | None


IN_PROCESS = "http://localhost"
"""The base URL for requests to the API of the same process."""


class ApiAccess(Protocol):
    """Chooses the API client and key for a tool call.

    ``headers`` are the headers of the HTTP request that called the tool; ``None`` over stdio.
    """

    def client(self, headers: Headers) -> AsyncClient:
        """Return a client for a tool call, which sends its key."""

    def key(self, headers: Headers) -> str:
        """Return the key; empty if there is none."""


class RemoteApi:
    """Uses a remote service, with one configured key."""

    def __init__(self, address: Address) -> None:
        """Use the service at this address, and the key in it."""
        self._address = address

    def client(self, _headers: Headers) -> AsyncClient:
        """See ``ApiAccess``."""
        return AsyncClient(self._address.url, api_key=self._address.key)

    def key(self, _headers: Headers) -> str:
        """See ``ApiAccess``."""
        return self._address.key


class LocalApi:
    """Uses the API of this process, with the key of the incoming request."""

    def __init__(self, api: ASGIApp | None = None) -> None:
        """Use this API; ``api`` may be set later."""
        self.api = api

    def client(self, headers: Headers) -> AsyncClient:
        """See ``ApiAccess``."""
        if self.api is None:
            raise ToolError("the service is starting; ask again in a moment")
        transport = httpx.ASGITransport(self.api)
        return AsyncClient(IN_PROCESS, api_key=self.key(headers), transport=transport)

    def key(self, headers: Headers) -> str:
        """See ``ApiAccess``."""
        scheme, _, key = (headers or {}).get("authorization", "").partition(" ")
        return key.strip() if scheme.lower() == "bearer" else ""


async def read(client: AsyncClient, path: str, **parameters: str | int | bool | None) -> Any:
    """Return the JSON response of a GET request; raises ``ToolError`` if the API refuses it."""
    with refusals_raised():
        return orjson.loads(await client.ask(Call(get(path, **parameters), body_of)))


@contextmanager
def refusals_raised() -> Iterator[None]:
    """Turn refusals by the API into ``ToolError``: as text they would look like a response."""
    try:
        yield
    except (ClientError, ValueError) as error:
        raise refusal(str(error)) from error


EVER = "all"
STEPS_AT_ONCE = 50


def combined_where(where: str, text: str) -> str:
    """Return a filter that combines a condition with a full-text query."""
    query = orjson.dumps(text).decode() if text else ""
    return f"({where}) and {query}" if where and query else where or query


def since_ms(since: str) -> int | None:
    """Parse a ``since`` into ms since the epoch; ``None`` for all. Raises ``ToolError``."""
    if since.strip().lower() in {"", EVER}:
        return None
    try:
        return milliseconds_of(since)
    except ValueError as error:
        raise refusal(f"since: {error}; or {EVER}") from error


class PageStart(NamedTuple):
    """Where a page of runs begins: a cursor of the API, and the ``since`` of the cursor's query."""

    from_ms: int | None
    cursor: str


def page_start(cursor: str, since: str) -> PageStart:
    """Return where a page begins: after a cursor from ``next_cursor_of``, otherwise at ``since``.

    The tool's cursor contains the start time, because the API's cursor is valid only for the same
    query, and ``7d`` means another time in every call.
    """
    start, dot, rest = cursor.partition(".")
    if dot and (start == EVER or start.isdecimal()):
        return PageStart(None if start == EVER else int(start), rest)
    return PageStart(since_ms(since), cursor)


def next_cursor_of(page: Mapping[str, Any], start: PageStart) -> str | None:
    """Return the cursor of the page after this one; ``None`` if it was the last."""
    cursor = page.get("next_cursor")
    return cursor and f"{EVER if start.from_ms is None else start.from_ms}.{cursor}"


def step_range(steps: str, count: int) -> tuple[int, int]:
    """Return first and last step of a range: ``4``, ``3-9``. Raises ``ToolError``."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", steps or f"1-{STEPS_AT_ONCE}")
    if match is None:
        raise refusal(f"steps: {steps!r} is no range; write 4 or 3-9")
    first, last = int(match[1]), min(int(match[2] or match[1]), count)
    if not 1 <= first <= last:
        raise refusal(f"steps: the run has steps 1 to {count}, not {steps}")
    return first, last
