"""Time windows in which calls are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.ports.calls import CallWindow

if TYPE_CHECKING:
    from collections.abc import Sequence


def windows(call_keys: Sequence[str], from_ns: int, until_ns: int) -> list[CallWindow]:
    """Return the same time window for every call key."""
    return [CallWindow(call_key, from_ns, until_ns) for call_key in call_keys]
