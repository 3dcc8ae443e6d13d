"""Host and port as the authority of a URL."""

from __future__ import annotations


def authority(host: str, port: int) -> str:
    """Return ``host:port``, with brackets around an IPv6 address: ``[::1]:8080``."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
