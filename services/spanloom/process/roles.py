"""The roles of a process, with their names in lists of rights and in heartbeats."""

from __future__ import annotations

from enum import Flag, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Role(Flag):
    """The tasks of a process; with the embedded store one process has all roles."""

    COLLECT = auto()
    EXTRACT = auto()
    API = auto()
    KEEP = auto()


EVERYTHING = Role.COLLECT | Role.EXTRACT | Role.API | Role.KEEP


def names_of(roles: Role) -> list[str]:
    """Return the names of these roles in the list of rights that each role needs."""
    names = {
        Role.COLLECT: "collect",
        Role.EXTRACT: "extract",
        Role.API: "api",
        Role.KEEP: "keeper",
    }
    return [name for role, name in names.items() if role in roles]


def kinds_of(roles: Role, *, has_search: bool) -> Sequence[str]:
    """Return the kinds of work of these roles, by their names in heartbeats."""
    kinds = {
        "collect": Role.COLLECT in roles,
        "extract": Role.EXTRACT in roles,
        "index": Role.EXTRACT in roles and has_search,
        "api": Role.API in roles,
        "keeper": Role.KEEP in roles,
    }
    return [kind for kind, does in kinds.items() if does]
