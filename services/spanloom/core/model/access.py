"""Access control: the projects that a caller may see, API keys and their scopes, the caller."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Reach:
    """The projects that a caller may see: the named projects, or explicitly all.

    ``Reach.only("travel")`` covers one project, ``Reach.only()`` none, ``Reach.ALL`` all. A missing
    value never means all projects.
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
        """Return whether this reach covers all projects of the other reach."""
        return self.is_every or (not other.is_every and other.projects <= self.projects)

    def narrowed(self, project: str | None) -> Reach:
        """Return the reach limited to one project; ``None`` does not limit it.

        A project outside the reach leaves nothing: ``Reach.only("a").narrowed("b")`` is
        ``Reach.only()``.
        """
        if project is None:
            return self
        return Reach.only(project) if self.covers(project) else Reach.only()


Reach.ALL = Reach(frozenset(), is_every=True)


DEFAULT_PROJECT = "default"
"""The project of spans that name none."""
ALL_PROJECTS = "*"
"""The ``project`` of a key for every project; no project may have this name."""
MAX_PROJECT_BYTES = 200


def is_project_name(text: str) -> bool:
    """Return whether a project may have this name: printable text of at most 200 bytes in UTF-8.

    The name must not be empty or ``*``, or begin or end with a space. Names are compared exactly.
    """
    return (
        text.isprintable()
        and text == text.strip()
        and text not in {"", ALL_PROJECTS}
        and len(text.encode(errors="replace")) <= MAX_PROJECT_BYTES
    )


class Scope(StrEnum):
    """A permission of an API key; a key has any number of scopes, and no scope implies another."""

    INGEST = "ingest"
    """Send spans."""
    READ = "read"
    """Read trajectories and spans."""
    ANNOTATE = "annotate"
    """Write annotations and scores."""
    ADMIN = "admin"
    """Manage keys, replay history, delete."""


@dataclass(frozen=True, slots=True)
class Key:
    """An API key as stored, without the secret itself. Times are ns since the epoch."""

    id: str
    """12 hex digits, public: identifies the key in lists and logs."""
    digest: str
    """SHA-256 of the whole key in hex. A slow hash is not needed: the secret is 32 random bytes."""
    project: str
    """The project that the key grants access to, or ``ALL_PROJECTS``."""
    scopes: frozenset[Scope]
    created_ns: int
    expires_ns: int = 0
    """0 if the key never expires."""
    revoked_ns: int = 0
    """0 if the key is not revoked."""
    used_ns: int = 0
    """The last use, precise to about a minute; 0 if never used."""

    def is_usable(self, now_ns: int) -> bool:
        """Return whether the key is neither revoked nor expired at this time."""
        return not self.revoked_ns and not 0 < self.expires_ns <= now_ns


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request, as identified by its key."""

    key_id: str
    """Empty if the service requires no keys."""
    project: str
    """The caller's project, or ``ALL_PROJECTS``."""
    scopes: frozenset[Scope]

    @property
    def key_project(self) -> str:
        """The project of all spans from the caller; empty if the telemetry names the project."""
        return "" if self.project == ALL_PROJECTS else self.project

    def may_see(self, project: str) -> bool:
        """Return whether the caller has access to the project."""
        return self.project in (ALL_PROJECTS, project)


ANYBODY = Caller("", ALL_PROJECTS, frozenset(Scope))
"""The caller if keys are not required: on loopback, or by configuration."""
