"""Replays: stored traces are extracted again, because the dialects or extractor have changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach  # noqa: TC001  # a field of a public dataclass
from spanloom.core.model.trajectory import Status  # noqa: TC001  # a field of a public tuple

BEFORE_ALL = TraceKey("", "")
"""Sorts before every key."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stored trajectories to build again; a filter that is ``None`` matches all."""

    reach: Reach
    start_from_ns: int | None = None
    """Root started at or after this time."""
    start_before_ns: int | None = None
    dialect: str | None = None
    """Trajectories with spans that this dialect classified."""
    other_than: str | None = None
    """Trajectories built by another extractor version than this one."""


class StoredTrace(NamedTuple):
    """What a replay needs of a trace with a stored trajectory."""

    key: TraceKey
    status: Status
    span_count: int


@dataclass(frozen=True, slots=True)
class Replay:
    """The progress of a replay."""

    id: str
    """Later replays have greater ids."""
    selection: Selection
    total: int
    """How many traces the selection had when the replay began."""
    step: int = 0
    """Grows with each record of the same replay: the highest counts."""
    done: int = 0
    written: int = 0
    """How many of those done differ from before and were stored anew."""
    failed: int = 0
    """How many could not be built; their stored trajectories stay."""
    after: TraceKey = BEFORE_ALL
    """Every trace up to and including this key, in key order, is done."""
    is_finished: bool = False

    @property
    def cursor(self) -> str:
        """The cursor of the page that starts after this replay."""
        return self.id
