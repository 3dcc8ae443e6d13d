"""Decorators by which each route declares the scope that its callers need.

The application does not start if a route declares nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from spanloom.core.model.access import Scope

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])  # any signature: FastAPI inspects it

_ATTRIBUTE = "__needs__"


class Needs(NamedTuple):
    """The requirements of one route."""

    scope: Scope | None
    """The scope that the key must have; ``None``: no key is needed."""
    all_projects: bool = False
    """Whether the key must have access to every project, because the response covers all."""
    is_of_page: bool = False
    """Whether Spanloom's own page may send JSON to the route, whatever its ``scope``."""


OPEN = Needs(None)


def needs(
    scope: Scope, *, all_projects: bool = False, is_of_page: bool = False
) -> Callable[[Endpoint], Endpoint]:
    """Declare that a route needs a key with this scope."""
    return _declaring(Needs(scope, all_projects, is_of_page))


def open_to_all(endpoint: Endpoint) -> Endpoint:
    """Declare that a route reveals nothing of any project and needs no key."""
    return _declaring(OPEN)(endpoint)


def needs_of(endpoint: Callable[..., object]) -> Needs:
    """Return the declared needs of a route; raises ``TypeError`` if there are none."""
    declared = getattr(endpoint, _ATTRIBUTE, None)
    if not isinstance(declared, Needs):
        raise TypeError(f"{endpoint} serves a route and declares no scope: see api/http/needs.py")
    return declared


def _declaring(declared: Needs) -> Callable[[Endpoint], Endpoint]:
    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, declared)
        return endpoint

    return mark
