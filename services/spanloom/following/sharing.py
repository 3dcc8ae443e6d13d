"""Which process does a kind of work that only one at a time should do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.core.sharing import covers

if TYPE_CHECKING:
    from spanloom.core.sharing import Slices

JUDGE = "judge"
"""The work of the heartbeat by which processes share it: those that extract."""


def owns(held: Slices, work: str) -> bool:
    """Return whether a process with these slices does a kind of work, such as ``alerts``.

    Two processes may both, for a moment: work has to bear that.
    """
    return covers(held, TraceKey("", work))
