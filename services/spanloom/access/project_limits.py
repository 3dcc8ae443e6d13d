"""What one project may send and have stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class ProjectLimits(NamedTuple):
    """What one project may do; 0 is no limit."""

    spans_per_s: float = 0
    bytes_per_s: float = 0
    """Decoded bytes of requests."""
    stored_bytes: int = 0
    """Bytes in the store, and of requests on their way there."""


LimitsOf = Callable[[str], ProjectLimits]
"""Returns the limits of a project as they are now."""


def unlimited(_project: str) -> ProjectLimits:
    """Return no limits, for any project."""
    return ProjectLimits()
