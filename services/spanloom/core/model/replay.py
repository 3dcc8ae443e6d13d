"""A replay: stored traces extracted again, because what reads them has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach  # noqa: TC001  # a field of a public dataclass
from spanloom.core.model.trajectory import Status  # noqa: TC001  # a field of a public tuple

BEFORE_ALL = TraceKey("", "")
"""Comes before every key."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stored trajectories to build again; a filter that is ``None`` filters nothing."""

    reach: Reach
    start_from_ns: int | None = None
    """Root start at or after this time."""
    start_before_ns: int | None = None
    dialect: str | None = None
    """With spans that this dialect classified."""
    other_than: str | None = None
    """Built by another extractor version than this."""


class StoredTrace(NamedTuple):
    """A trace with a trajectory, as far as a replay needs to know it."""

    key: TraceKey
    status: Status
    span_count: int


@dataclass(frozen=True, slots=True)
class Replay:
    """How far a replay has come."""

    id: str
    """Later replays have greater ids."""
    selection: Selection
    total: int
    """How many traces the selection had at the beginning."""
    step: int = 0
    """Grows with each record of the same replay: the highest counts."""
    done: int = 0
    written: int = 0
    """How many of those done came out otherwise than before."""
    failed: int = 0
    """How many could not be built; what is stored of them stays."""
    after: TraceKey = BEFORE_ALL
    """Every trace up to this one, in the order of keys, is done."""
    is_finished: bool = False

    @property
    def cursor(self) -> str:
        """The position just behind this replay in a list."""
        return self.id
