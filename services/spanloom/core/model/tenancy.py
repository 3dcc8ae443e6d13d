"""Which projects a reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Reach:
    """The projects that a reader may see: those named, or explicitly all.

    ``Reach.only("travel")`` covers one project, ``Reach.only()`` none, ``Reach.ALL`` all. There is
    no value that means "any" by being absent.
    """

    projects: frozenset[str]
    is_every: bool = False

    ALL: ClassVar[Reach]

    @classmethod
    def only(cls, *projects: str) -> Reach:
        """Return a reach of exactly these projects."""
        return cls(frozenset(projects))

    def covers(self, project: str) -> bool:
        """Return whether the project may be seen."""
        return self.is_every or project in self.projects

    def includes(self, other: Reach) -> bool:
        """Return whether this reach covers all projects of the other one."""
        return self.is_every or (not other.is_every and other.projects <= self.projects)

    def narrowed(self, project: str | None) -> Reach:
        """Return the reach limited to one project; ``None`` does not limit it.

        A project outside the reach leaves none: ``Reach.only("a").narrowed("b")`` is
        ``Reach.only()``.
        """
        if project is None:
            return self
        return Reach.only(project) if self.covers(project) else Reach.only()


Reach.ALL = Reach(frozenset(), is_every=True)
