"""What a caller needs to be answered, declared at each route.

A route without a declaration is no route: the application does not start with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from spanloom.core.model.access import Scope

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])  # of any signature: FastAPI reads it

_ATTRIBUTE = "__needs__"


class Needs(NamedTuple):
    """What one route asks of a caller."""

    scope: Scope | None
    """The scope of its key; ``None``: open to everybody, with and without a key."""
    all_projects: bool = False
    """Whether the key must open every project, because the answer tells of all of them."""


OPEN = Needs(None)


def needs(scope: Scope, *, all_projects: bool = False) -> Callable[[Endpoint], Endpoint]:
    """Declare that a route needs a key with this scope."""
    return _declaring(Needs(scope, all_projects))


def open_to_all(endpoint: Endpoint) -> Endpoint:
    """Declare that a route tells nothing of any project and needs no key."""
    return _declaring(OPEN)(endpoint)


def needs_of(endpoint: Callable[..., object]) -> Needs:
    """Return what was declared; raises ``TypeError`` if nothing was."""
    declared = getattr(endpoint, _ATTRIBUTE, None)
    if not isinstance(declared, Needs):
        raise TypeError(f"{endpoint} serves a route and declares no scope: see api/http/needs.py")
    return declared


def _declaring(declared: Needs) -> Callable[[Endpoint], Endpoint]:
    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, declared)
        return endpoint

    return mark
