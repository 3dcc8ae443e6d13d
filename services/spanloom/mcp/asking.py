"""How tools reach the API: always over it, so that keys and projects hold for agents too."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import httpx
import orjson
from mcp.server.mcpserver.exceptions import ToolError

from spanloom.client.async_client import AsyncClient
from spanloom.client.errors import ClientError
from spanloom.client.request import Call, body_of, get
from spanloom.mcp.data import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.types import ASGIApp

    from spanloom.client.address import Address

    Headers = Mapping[str, str] | None

IN_PROCESS = "http://localhost"
"""The name under which a process asks its own API."""


class Asking(Protocol):
    """Says with whose key the API is asked when a tool is called.

    ``headers`` are those of the request that calls it, where it came over HTTP.
    """

    def client(self, headers: Headers) -> AsyncClient:
        """Return a client that asks with that key."""

    def key(self, headers: Headers) -> str:
        """Return the key; empty without one."""


class OverNetwork:
    """Asks a service elsewhere, with a key of one's own."""

    def __init__(self, address: Address) -> None:
        """Take where the service is."""
        self._address = address

    def client(self, _headers: Headers) -> AsyncClient:
        """See ``Asking``."""
        return AsyncClient(self._address.url, api_key=self._address.key)

    def key(self, _headers: Headers) -> str:
        """See ``Asking``."""
        return self._address.key


class InProcess:
    """Asks the API that this process serves, with the key that came with the request."""

    def __init__(self, api: ASGIApp | None = None) -> None:
        """Take the API, unless it is yet to be made."""
        self.api = api

    def client(self, headers: Headers) -> AsyncClient:
        """See ``Asking``."""
        if self.api is None:
            raise ToolError("the service is starting; ask again in a moment")
        transport = httpx.ASGITransport(self.api)
        return AsyncClient(IN_PROCESS, api_key=self.key(headers), transport=transport)

    def key(self, headers: Headers) -> str:
        """See ``Asking``."""
        scheme, _, key = (headers or {}).get("authorization", "").partition(" ")
        return key.strip() if scheme.lower() == "bearer" else ""


async def read(client: AsyncClient, path: str, **parameters: str | int | bool | None) -> Any:
    """Return the JSON that the API answers; what it refuses becomes the tool's error."""
    with refusing():
        return orjson.loads(await client.ask(Call(get(path, **parameters), body_of)))


@contextmanager
def refusing() -> Iterator[None]:
    """Let the reader of a refusal see it as an error: a text would look like an answer."""
    try:
        yield
    except (ClientError, ValueError) as error:
        raise refusal(str(error)) from error
