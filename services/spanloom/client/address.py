"""The URL of a service and the API key of the caller."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TypedDict
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:8080"


class Trust(TypedDict):
    """The arguments of an httpx client that decide which proxies and certificates it trusts."""

    trust_env: bool
    """Whether the environment's proxies are used; no proxy can reach this machine's loopback."""
    verify: bool
    """Whether certificates are loaded, which takes 10 to 20 ms."""


@dataclass(frozen=True, slots=True)
class Address:
    """A service's URL and the API key sent to it."""

    url: str
    key: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    @property
    def trust(self) -> Trust:
        """The trust settings for this URL: proxies unless it is local, certificates for https."""
        parts = urlsplit(self.url)
        host = (parts.hostname or "").lower()
        is_local = host == "localhost" or host.startswith("127.") or host == "::1"
        return {"trust_env": not is_local, "verify": parts.scheme == "https"}


def find_address(url: str | None, key: str | None) -> Address:
    """Return the address from the arguments.

    They default to ``SPANLOOM_API_URL`` and ``SPANLOOM_API_KEY``. Raises ``ValueError`` if the
    URL is invalid.
    """
    base_url = url or os.environ.get("SPANLOOM_API_URL") or DEFAULT_URL
    return Address(to_url(base_url), os.environ.get("SPANLOOM_API_KEY", "") if key is None else key)


def to_url(text: str) -> str:
    """Return the URL without a trailing slash, with ``http://`` added if it has no scheme.

    Raises ``ValueError`` if the URL is invalid.
    """
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"{text!r} is no address; write it like {DEFAULT_URL}")
    return url.rstrip("/")
