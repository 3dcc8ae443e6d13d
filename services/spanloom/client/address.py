"""Where a service answers, and who asks."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:8080"


@dataclass(frozen=True, slots=True)
class Address:
    """A service's address and the key that is shown there."""

    url: str
    key: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """What goes with every request."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    @property
    def is_local(self) -> bool:
        """Whether it is this machine, whose loopback no proxy can reach."""
        host = (urlsplit(self.url).hostname or "").lower()
        return host == "localhost" or host.startswith("127.") or host == "::1"

    @property
    def is_encrypted(self) -> bool:
        """Whether a certificate comes from there, so that those that are trusted must be read.

        That takes a hundredth of a second or two: a fifth of what a short command takes.
        """
        return urlsplit(self.url).scheme == "https"


def find_address(url: str | None, key: str | None) -> Address:
    """Return what was named, else what ``SPANLOOM_API_URL`` and ``SPANLOOM_API_KEY`` name.

    Raises ``ValueError`` for what is no address.
    """
    found = url or os.environ.get("SPANLOOM_API_URL") or DEFAULT_URL
    return Address(to_url(found), os.environ.get("SPANLOOM_API_KEY", "") if key is None else key)


def to_url(text: str) -> str:
    """Return an address without the slash that may end it, ``http://`` added where it lacks.

    Raises ``ValueError`` for what is no address.
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
