"""A saved view: parameters of an address of the page, under a name, for a whole project."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
"""The form in which this version stores a view, and the newest one that it reads."""
MOST_VIEWS = 200
"""The most views of a project."""
MAX_NAME = 100
"""Characters of a name."""


class ViewPage(StrEnum):
    """The page that a view is of."""

    RUNS = "runs"
    STEPS = "steps"
    CONVERSATIONS = "conversations"
    OVERVIEW = "overview"


@dataclass(frozen=True, slots=True)
class SavedView:
    """One revision of a view."""

    project: str
    id: str
    """16 hex digits, of its first name; never changes."""
    page: str
    """One of ``ViewPage``; a newer format may have others."""
    name: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Those of the address, as they were typed: ``{"since": "7d"}``. Empty for a newer format."""
    owner: str = ""
    """Who made it, as they call themselves, which is not checked; empty if unknown."""
    changed_by: str = ""
    revision: int = 1
    """Counts the changes from 1."""
    at_us: int = 0
    """When it was changed, in microseconds since the epoch."""
    format: int = FORMAT
    is_deleted: bool = False
    change: str = ""
    """Random: tells two changes apart that made the same revision."""

    @property
    def is_newer(self) -> bool:
        """Whether a newer version of Spanloom stored it, in a form that this one does not read."""
        return self.format > FORMAT
