"""OTLP spans in, agent trajectories out. ``from spanloom import Client`` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.client import Client as Client

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the client when it is first asked for: importing the package stays cheap."""
    if name == "Client":
        from spanloom.client import Client  # noqa: PLC0415  # not before

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
