"""Who may do what: a key, the scopes it has, and the caller that it makes of a request."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ALL_PROJECTS = "*"
"""In place of a project's name in a key: every project. No project may have this name."""
MAX_PROJECT_BYTES = 200


def is_project_name(text: str) -> bool:
    """Return whether a project may have this name: printable text of at most 200 bytes in UTF-8.

    Not empty, not ``*`` and not beginning or ending with a space: names are compared as they are.
    """
    return (
        text.isprintable()
        and text == text.strip()
        and text not in {"", ALL_PROJECTS}
        and len(text.encode(errors="replace")) <= MAX_PROJECT_BYTES
    )


class Scope(StrEnum):
    """One thing that a key allows; a key has any number of them, and none implies another."""

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
    """A key as it is stored: everything but the secret itself. Times are ns since the epoch."""

    id: str
    """12 hex digits, public: it names the key in lists and logs."""
    digest: str
    """SHA-256 of the whole key in hex. The secret is 32 random bytes: no slow hash is needed."""
    project: str
    """The one project that it opens, or ``ALL_PROJECTS``."""
    scopes: frozenset[Scope]
    created_ns: int
    expires_ns: int = 0
    """0: never."""
    revoked_ns: int = 0
    """0: not revoked."""
    used_ns: int = 0
    """The last use, to about a minute; 0: never used."""

    def is_usable(self, now_ns: int) -> bool:
        """Return whether it opens anything at this time."""
        return not self.revoked_ns and not 0 < self.expires_ns <= now_ns


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request, as far as its key tells."""

    key_id: str
    """Empty where nobody has a key yet."""
    project: str
    """The one project, or ``ALL_PROJECTS``."""
    scopes: frozenset[Scope]

    @property
    def key_project(self) -> str:
        """The project of all that it sends; empty where the telemetry names the project."""
        return "" if self.project == ALL_PROJECTS else self.project

    def may_see(self, project: str) -> bool:
        """Return whether the project is within its reach."""
        return self.project in (ALL_PROJECTS, project)


ANYBODY = Caller("", ALL_PROJECTS, frozenset(Scope))
"""The caller where there are no keys: on loopback, or because the operator says so."""
