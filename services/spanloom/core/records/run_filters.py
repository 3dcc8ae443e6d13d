"""Filters for runs, the short forms of a ``where``, for API, command line and client.

A filter has the name of the field that it compares; ``since`` and ``until`` compare ``start``. A
new filter is one line in ``RunFilters``: its name, its type in the client, and its descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003  # read at runtime
from functools import cache
from typing import TYPE_CHECKING, Annotated, TypedDict, get_type_hints

from spanloom.core.model.trajectory import (  # types that are read at runtime
    Outcome,  # noqa: TC001
    Status,  # noqa: TC001
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Short:
    """A filter, short for a comparison: ``agent=planner`` for ``agent = "planner"``."""

    description: str
    """The description in the API reference; completes "only runs …"."""
    example: object
    option: str = ""
    """The help text of the command line option; if empty, there is no option."""
    field: str = ""
    """The name of the field in a ``where``, if it differs from the name of the filter."""
    sign: str = "="
    default: bool | None = None
    """The default value, which ``any`` switches off; ``None`` if there is no default."""


class RunFilters(TypedDict, total=False):
    """The filters of runs; a filter that is missing or ``None`` has no effect."""

    since: Annotated[
        datetime | str | int | None,
        Short(
            "Started at or after: RFC 3339, milliseconds since the epoch, or `7d` (m, h, w) ago.",
            "2026-01-31T12:00:00Z",
            "Started at or after: 30m, 2h or 7d ago, yesterday, a date, a time.",
            field="start",
            sign=">=",
        ),
    ]
    until: Annotated[
        datetime | str | int | None,
        Short(
            "Started before: like `since`.",
            "1769860800000",
            "Started before; like --since.",
            field="start",
            sign="<",
        ),
    ]
    status: Annotated[
        Status | str | None, Short("In this status.", "settled", "Only with this status.")
    ]
    root_name: Annotated[
        str | None,
        Short("Whose root has this name.", "travel_planner", "Only runs whose root has this name."),
    ]
    has_error: Annotated[
        bool | None, Short("With a failure that was not recovered (or without one).", example=True)
    ]
    outcome: Annotated[
        Outcome | str | None,
        Short("With this outcome.", "recovered", "Only those with this outcome."),
    ]
    duplicate: Annotated[
        bool | None,
        Short(
            "Runs that repeat another run; by default they are left out. `any`: all runs.",
            example=False,
            default=False,
        ),
    ]
    has_steps: Annotated[
        bool | None,
        Short(
            "With a step or a failure, by default: agent creation and health checks have neither. "
            "`any`: all runs; implied by `duplicate=any` or a `where` that names it.",
            example=True,
            default=True,
        ),
    ]
    agent: Annotated[
        str | None,
        Short(
            "In which this agent ran.", "research_agent", "Only runs in which this agent took part."
        ),
    ]
    conversation: Annotated[
        str | None,
        Short("Of this conversation.", "trip-to-shanghai", "Only of this conversation."),
    ]
    model: Annotated[
        str | None,
        Short(
            "In which this model was called.", "gpt-4o", "Only runs in which this model was called."
        ),
    ]
    service: Annotated[
        str | None,
        Short("With spans of this service.", "travel", "Only with spans of this service."),
    ]
    environment: Annotated[
        str | None,
        Short("Of this environment.", "production", "Only of this environment: production."),
    ]
    release: Annotated[
        str | None,
        Short("Of this release.", "1.4.0", "Only of this release of the agent."),
    ]
    user: Annotated[str | None, Short("For this user.", "user-ada", "Only runs of this user.")]
    tag: Annotated[str | None, Short("With this tag.", "beta", "Only with this tag.")]


@cache
def run_shorts() -> Mapping[str, Short]:
    """Return the filters, keyed by name, in the order of ``RunFilters``."""
    hints = get_type_hints(RunFilters, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


def default_filters() -> Mapping[str, bool]:
    """Return the filters that lists apply by default."""
    return {name: s.default for name, s in run_shorts().items() if s.default is not None}
