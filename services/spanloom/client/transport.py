"""Sends requests with httpx, synchronously or asynchronously; ``tries`` decides about retries."""

from __future__ import annotations

import asyncio
import random
import time
from typing import IO, TYPE_CHECKING

from spanloom.client.errors import ClientError, NotSpanloomError, TimedOutError, UnreachableError
from spanloom.client.http_library import httpx
from spanloom.client.request import OK, Reply, settle
from spanloom.client.tries import Patience, Tries

if TYPE_CHECKING:
    from spanloom.client.address import Address
    from spanloom.client.request import Request


class Transport:
    """Connections to one service; for one thread at a time."""

    def __init__(
        self, address: Address, patience: Patience, transport: httpx.BaseTransport | None
    ) -> None:
        """Create a client without connecting. ``transport`` replaces the network."""
        self.address, self._patience = address, patience
        self._http = httpx.Client(
            base_url=address.url,
            headers=address.headers,
            transport=transport,
            **address.trust,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, request: Request, into: IO[bytes] | None = None) -> Reply:
        """Return the reply to a request; raises ``ClientError``.

        With ``into`` the body is streamed there, replacing anything that an earlier try wrote, and
        the reply has an empty body.
        """
        start = into.tell() if into else 0
        tries = Tries(self._patience, request, time.monotonic())
        while True:
            outcome = self._try(request, tries.timeout_s(time.monotonic()), into)
            pause_s = tries.pause_s(outcome, time.monotonic(), random.random())  # noqa: S311
            if pause_s is None:
                return settle(outcome, request, self.address.url)
            if into:
                into.seek(start)
                into.truncate()
            time.sleep(pause_s)

    def _try(
        self, request: Request, timeout_s: float, into: IO[bytes] | None
    ) -> Reply | ClientError:
        try:
            with self._http.stream(
                request.method,
                request.path,
                params=request.params,
                headers=request.headers,
                content=request.body or None,
                timeout=timeout_s,
            ) as response:
                if into is None or response.status_code != OK:
                    return _reply(response, response.read())
                for piece in response.iter_bytes():
                    into.write(piece)
                return _reply(response)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            return fault(error, self.address.url, timeout_s)


class AsyncTransport:
    """``Transport`` for one event loop of asyncio."""

    def __init__(
        self, address: Address, patience: Patience, transport: httpx.AsyncBaseTransport | None
    ) -> None:
        """Create a client without connecting. ``transport`` replaces the network."""
        self.address, self._patience = address, patience
        self._http = httpx.AsyncClient(
            base_url=address.url,
            headers=address.headers,
            transport=transport,
            **address.trust,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def ask(self, request: Request) -> Reply:
        """Return the reply to a request; raises ``ClientError``."""
        tries = Tries(self._patience, request, time.monotonic())
        while True:
            outcome = await self._try(request, tries.timeout_s(time.monotonic()))
            pause_s = tries.pause_s(outcome, time.monotonic(), random.random())  # noqa: S311
            if pause_s is None:
                return settle(outcome, request, self.address.url)
            await asyncio.sleep(pause_s)

    async def _try(self, request: Request, timeout_s: float) -> Reply | ClientError:
        try:
            response = await self._http.request(
                request.method,
                request.path,
                params=request.params,
                headers=request.headers,
                content=request.body or None,
                timeout=timeout_s,
            )
        except (httpx.RequestError, httpx.InvalidURL) as error:
            return fault(error, self.address.url, timeout_s)
        return _reply(response, response.content)


def _reply(response: httpx.Response, body: bytes = b"") -> Reply:
    return Reply(response.status_code, dict(response.headers), body)


def fault(error: httpx.RequestError | httpx.InvalidURL, url: str, timeout_s: float) -> ClientError:
    """Return the ``ClientError`` for a request that httpx could not complete."""
    if isinstance(error, httpx.InvalidURL):
        return ClientError(f"the query does not fit into a URL: {error}")
    if isinstance(error, httpx.TimeoutException):
        return TimedOutError(f"{url} did not answer within {timeout_s:g} s")
    if isinstance(error, httpx.TransportError):
        return UnreachableError(f"nothing answers at {url}")
    return NotSpanloomError(f"what answers at {url} cannot be read: {error}")
