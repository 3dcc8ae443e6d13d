"""Retention: how long spans and trajectories are kept, by default and per project."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(Enum):
    """The retention class of a table."""

    SPANS = "spans"
    TRAJECTORIES = "trajectories"
    BOTH = "both"
    """Needed as long as spans or trajectories are kept."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Days after which rows are removed; 0 keeps them for ever."""

    spans: int = 0
    """Days since the span was accepted."""
    trajectories: int = 0
    """Days since the trajectory was stored."""

    def days(self, kind: Kind) -> int:
        """Return the days for tables of this kind.

        Example: ``Terms(7, 365).days(Kind.BOTH)`` is 365.
        """
        if kind is Kind.BOTH:
            return longest((self.spans, self.trajectories))
        return self.spans if kind is Kind.SPANS else self.trajectories


@dataclass(frozen=True, slots=True)
class RetentionPlan:
    """The retention terms of all projects."""

    default: Terms = Terms()
    projects: Mapping[str, Terms] = field(default_factory=dict)
    """Projects with their own terms."""
    keeps_annotated: bool = True
    """Whether annotated trajectories are kept regardless of the terms."""

    @property
    def expires_trajectories(self) -> bool:
        """Whether trajectories of any project expire."""
        return any(t.trajectories for t in (self.default, *self.projects.values()))

    def longest_days(self, kind: Kind) -> int:
        """Return the longest term of any project in days; 0 if one keeps rows for ever."""
        return longest([self.default.days(kind), *(t.days(kind) for t in self.projects.values())])


def longest(days: tuple[int, ...] | list[int]) -> int:
    """Return the longest of the terms in days; 0 means for ever."""
    return 0 if 0 in days else max(days)
