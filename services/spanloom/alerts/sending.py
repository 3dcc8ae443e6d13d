"""Sends a message to a channel: only to a checked address, within a time limit."""

from __future__ import annotations

import asyncio
import hmac
import os
import socket
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urlsplit, urlunsplit

import httpx

from spanloom import __version__
from spanloom.alerts.addresses import check_url, is_public, port_of
from spanloom.core.model.notation import authority

if TYPE_CHECKING:
    from collections.abc import Sequence
    from urllib.parse import SplitResult

    from spanloom.alerts.definition import Channel

SIGNATURE = "Spanloom-Signature"
TRY_S = 10.0
"""Seconds that one try may take in total."""
MOST_SECRET = 64 * 1024
"""Maximum bytes of a secret file."""
_MOST_HEADERS = {"user-agent": f"spanloom/{__version__}", "content-type": "application/json"}


class DeliveryError(Exception):
    """A delivery failed; the message is the reason, without secrets."""


class Sender(Protocol):
    """Sends messages to channels."""

    async def send(self, channel: Channel, body: bytes) -> None:
        """Send a message, and return when the channel has accepted it; raises ``DeliveryError``."""

    async def close(self) -> None:
        """Close connections."""


class Target(NamedTuple):
    """The destination of a message: a URL with a numeric address, and the host name."""

    url: str
    host: str
    """The ``Host`` header, with the port."""
    server_name: str
    """The name that the certificate must have (SNI)."""


class HttpSender:
    """``Sender`` by HTTP: status 2xx means accepted; the response body is not read."""

    def __init__(self, *, allows_private: bool = False, try_s: float = TRY_S) -> None:
        """Connect to public addresses only, or with ``allows_private`` to all."""
        self._allows_private = allows_private
        self._try_s = try_s
        self._http: httpx.AsyncClient | None = None

    async def send(self, channel: Channel, body: bytes) -> None:
        """See ``Sender.send``."""
        try:
            async with asyncio.timeout(self._try_s):
                await self._send(channel, body)
        except TimeoutError:
            raise DeliveryError(f"it took more than {self._try_s:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
            raise DeliveryError(f"no connection: {type(error).__name__}") from None

    async def close(self) -> None:
        """See ``Sender.close``."""
        if self._http is not None:
            await self._http.aclose()

    async def _send(self, channel: Channel, body: bytes) -> None:
        headers = dict(_MOST_HEADERS)
        if channel.secret_file is not None:
            headers[SIGNATURE] = sign(body, await asyncio.to_thread(read_secret, channel))
        target = await self._target(channel.url)
        headers["host"] = target.host
        if self._http is None:
            self._http = httpx.AsyncClient(
                trust_env=False,
                follow_redirects=False,
                timeout=self._try_s,
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        extensions = {"sni_hostname": target.server_name}
        request = self._http.build_request(
            "POST", target.url, content=body, headers=headers, extensions=extensions
        )
        answer = await self._http.send(request, stream=True)
        await answer.aclose()
        if not answer.is_success:
            raise DeliveryError(f"it answered {answer.status_code}")

    async def _target(self, url: str) -> Target:
        """Resolve the host name in a URL, and check its addresses; raises ``DeliveryError``."""
        try:
            check_url(url, allows_private=self._allows_private)
        except ValueError as error:
            raise DeliveryError(str(error)) from None
        split = urlsplit(url)
        host = str(split.hostname)
        return _target(split, self._allowed(await _resolved(host, port_of(split))))

    def _allowed(self, addresses: Sequence[str]) -> str:
        """Return the first address; raises ``DeliveryError`` if any address is not allowed.

        All are checked, because a later try may use another address.
        """
        if not self._allows_private and not all(map(is_public, addresses)):
            raise DeliveryError(
                "its name leads to this machine or a private network; --alert-private allows it"
            )
        return addresses[0]


def sign(body: bytes, secret: bytes) -> str:
    """Return the HMAC-SHA256 of a body in hex."""
    return hmac.new(secret, body, "sha256").hexdigest()


def read_secret(channel: Channel) -> bytes:
    """Return the secret of a channel, without its line end; raises ``DeliveryError``.

    The read never blocks, even if the file is a pipe.
    """
    try:
        descriptor = os.open(str(channel.secret_file), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123  # it opens a descriptor
            secret = (file.read(MOST_SECRET + 1) or b"").rstrip(b"\r\n")
    except (OSError, ValueError):
        raise DeliveryError("`secret_file` cannot be read") from None
    if not secret or len(secret) > MOST_SECRET:
        raise DeliveryError("`secret_file` holds no secret")
    return secret


async def _resolved(host: str, port: int) -> Sequence[str]:
    """Return the numeric addresses of a host; raises ``OSError``."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def _target(split: SplitResult, address: str) -> Target:
    port = port_of(split)
    named = str(split.hostname).encode("idna").decode() if split.hostname else ""
    host = f"[{named}]" if ":" in named else named
    if split.port is not None:
        host = f"{host}:{split.port}"
    url = urlunsplit((split.scheme, authority(address, port), split.path or "/", split.query, ""))
    return Target(url, host, named)
