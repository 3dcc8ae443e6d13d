"""Which projects somebody may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Reach:
    """The projects that a reader sees: those named, or explicitly every one.

    ``Reach.only("travel")`` sees one project, ``Reach.only()`` sees nothing, ``Reach.ALL`` sees
    everything. There is no value that means "any" by being absent.
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
        """Return whether all that the other reach sees may be seen."""
        return self.is_every or (not other.is_every and other.projects <= self.projects)

    def narrowed(self, project: str | None) -> Reach:
        """Return what is left when somebody asks for one project; ``None`` asks for no other.

        A project beyond the reach leaves nothing to see: ``Reach.only("a").narrowed("b")`` is
        ``Reach.only()``.
        """
        if project is None:
            return self
        return Reach.only(project) if self.covers(project) else Reach.only()


Reach.ALL = Reach(frozenset(), is_every=True)
