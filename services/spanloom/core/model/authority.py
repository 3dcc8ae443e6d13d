"""Hosts and ports as addresses have them."""

from __future__ import annotations


def authority(host: str, port: int) -> str:
    """Return ``host:port``, an IPv6 address within brackets: ``[::1]:8080``."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
