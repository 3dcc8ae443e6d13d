"""OTLP spans in, agent trajectories out. ``spanloom.Client`` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.client import AsyncClient as AsyncClient
    from spanloom.client import Client as Client

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load a client when it is first asked for: importing the package stays cheap."""
    if name in {"AsyncClient", "Client"}:
        from spanloom import client  # noqa: PLC0415  # not before

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
