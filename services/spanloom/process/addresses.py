"""The URLs of a process's ports, as this machine and others reach them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.notation import authority

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

    from spanloom.config.settings import Settings

_REACHED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # not bound to
"""The local address of a port that listens on all addresses."""


def url_of(settings: Settings, port: int) -> str:
    """Return the URL of a port of this process at the address that it listens on."""
    return f"{_scheme(settings)}://{authority(settings.host, port)}"


def page_url(settings: Settings, ports: Mapping[str, int]) -> str:
    """Return the URL of the web page for other machines; ``ports`` has component names as keys."""
    port = ports.get("api", settings.api_port)
    address = authority(_REACHED.get(settings.host, settings.host), port)
    return settings.public_url.rstrip("/") or f"{_scheme(settings)}://{address}"


def sql_url(settings: Settings, listener: socket.socket | None) -> str | None:
    """Return the SQL port's URL for this process; with TLS the host name is unknown."""
    if listener is None or settings.tls_cert:
        return None
    host, port, *_ = listener.getsockname()
    return f"http://{authority(_REACHED.get(host, host), port)}"


def _scheme(settings: Settings) -> str:
    return "https" if settings.tls_cert else "http"
