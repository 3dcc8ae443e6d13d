"""How long spans and trajectories stay, for every project and for some apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(Enum):
    """What a table holds, as far as retention is concerned."""

    SPANS = "spans"
    TRAJECTORIES = "trajectories"
    BOTH = "both"
    """It is needed as long as either is there."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Days after which things are removed; 0 keeps them."""

    spans: int = 0
    """Counted from when a span was accepted."""
    trajectories: int = 0
    """Counted from when the trajectory was stored."""

    def days(self, kind: Kind) -> int:
        """Return the days for what a table holds.

        Example: ``Terms(7, 365).days(Kind.BOTH)`` is 365.
        """
        if kind is Kind.BOTH:
            return longest((self.spans, self.trajectories))
        return self.spans if kind is Kind.SPANS else self.trajectories


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """The terms of every project."""

    default: Terms = Terms()
    projects: Mapping[str, Terms] = field(default_factory=dict)
    """Projects with terms of their own."""
    keeps_annotated: bool = True
    """Whether annotated trajectories stay, whatever their terms."""

    @property
    def expires_trajectories(self) -> bool:
        """Whether trajectories of any project expire."""
        return any(t.trajectories for t in (self.default, *self.projects.values()))

    def longest_days(self, kind: Kind) -> int:
        """Return after how many days nobody needs a row any more; 0 if somebody always does."""
        return longest([self.default.days(kind), *(t.days(kind) for t in self.projects.values())])


def longest(days: tuple[int, ...] | list[int]) -> int:
    """Return the longest of some terms in days; 0 stands for ever."""
    return 0 if 0 in days else max(days)
