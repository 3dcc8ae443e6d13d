"""OTLP spans in, agent trajectories out. ``Client`` reads them, ``evaluate`` judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.client import AsyncClient as AsyncClient
    from spanloom.client import Client as Client
    from spanloom.evaluation.evaluate import aevaluate as aevaluate
    from spanloom.evaluation.evaluate import evaluate as evaluate

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that importing the package stays cheap."""
    if name in {"AsyncClient", "Client"}:
        from spanloom import client  # noqa: PLC0415  # not before

        return getattr(client, name)
    if name in {"aevaluate", "evaluate"}:
        from spanloom.evaluation import evaluate as module  # noqa: PLC0415  # not before

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
