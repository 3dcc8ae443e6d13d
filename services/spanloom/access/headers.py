"""Security headers of responses, and the accepted names in a request's ``Host``."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


SECURITY_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""Headers that forbid browsers to guess the type of a response, and to run, frame or cache it.

There is no CORS header, so pages of other origins cannot read responses.
"""


ANY_HOST = "*"
NOT_OURS = "This service does not answer for that host; ask it by its address, or see --api-hosts."


class Hosts:
    """Accepts ``localhost``, IP addresses and configured names as host; ``*`` accepts any name."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Accept ``names`` in addition to ``localhost`` and IP addresses."""
        self._names = {"localhost", "", *(name.strip().lower() for name in names)}

    def answers(self, host: str) -> bool:
        """Return whether a request with this ``Host`` is accepted."""
        name = _name_of(host)
        return ANY_HOST in self._names or name in self._names or _is_address(name)


def _name_of(host: str) -> str:
    """Return the name in a ``Host`` header, without port, brackets and a trailing dot."""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
