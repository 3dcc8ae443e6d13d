"""Decides which process does work that only one process at a time should do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.sharing import covers

if TYPE_CHECKING:
    from spanloom.core.sharing import Slices

JUDGE = "judge"
"""The kind of heartbeat by which processes share such work; every extracting process sends it."""


def owns(held: Slices, work: str) -> bool:
    """Return whether a process that holds these slices does a kind of work, such as ``alerts``.

    A hash of the name ``work`` chooses the slice. For a moment two processes may hold this slice,
    so the work must be idempotent.
    """
    return covers(held, TraceKey("", work))
