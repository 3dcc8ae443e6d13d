"""A saved view: URL parameters of a page, stored under a name for a whole project."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
"""The format in which this version stores views, and the newest that it reads."""
MOST_VIEWS = 200
"""Maximum number of views in a project."""
NOT_OF_VIEWS = ("at", "cursor", "project")
"""Parameters of a page's URL that a view does not store: position in a list, and project."""


class ViewPage(StrEnum):
    """The page to which a view belongs."""

    RUNS = "runs"
    STEPS = "steps"
    CONVERSATIONS = "conversations"
    OVERVIEW = "overview"


@dataclass(frozen=True, slots=True)
class SavedView:
    """One revision of a view."""

    project: str
    id: str
    """16 hex digits, derived from the view's first name; never changes."""
    page: str
    """A ``ViewPage``, or a page that only a newer format has."""
    name: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    """URL parameters as they were typed: ``{"since": "7d"}``. Empty for a newer format."""
    owner: str = ""
    """The name of the person who saved it, which is not verified; empty if unknown."""
    changed_by: str = ""
    revision: int = 1
    """Counts the changes, from 1."""
    at_us: int = 0
    """The time of the change, in microseconds since the epoch."""
    format: int = FORMAT
    is_deleted: bool = False
    change: str = ""
    """A random text that distinguishes two changes with the same revision."""

    @property
    def is_newer(self) -> bool:
        """Whether a newer version of Spanloom stored the view, in a format that cannot be read."""
        return self.format > FORMAT
