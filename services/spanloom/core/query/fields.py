"""Every field by which lists can be filtered, declared once.

The SQL predicate (``storage/engine/conditions.py``), the parameters of the API
(``api/query/filters.py``) and the predicate in memory (``matches``) are derived from these
declarations. A new filter is one field here, and a test.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Annotated, NamedTuple, get_args, get_type_hints

from spanloom.core.model.trajectory import (  # types that are read at runtime
    Outcome,  # noqa: TC001
    Status,  # noqa: TC001
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Comparison(Enum):
    """How what is stored is compared with what is asked for."""

    EQUALS = "equals"
    AT_LEAST = "at least"
    BELOW = "below"
    CONTAINS = "contains"
    """What is stored is a list, and one of its items is asked for."""


class FilterField(NamedTuple):
    """What the layers need to know of a field."""

    column: str
    """Column of ``trajectory_list``, or an expression of its columns in parentheses."""
    comparison: Comparison
    attribute: str
    """Attribute of ``TrajectorySummary``."""
    description: str
    """For the reader of the API: completes "only trajectories …"."""
    example: object
    alias: str = ""
    """The parameter of the API, where it has another name than the field."""
    is_instant: bool = False
    """Whether it is a time: ns since the epoch here, RFC 3339 or milliseconds in the API."""
    has_to_be_asked_for: bool = False
    """Whether the API leaves out what it finds, unless asked for that alone or for ``any``."""


@dataclass(frozen=True, slots=True)
class TrajectoryFilter:
    """Which trajectories a list shows; a field that is ``None`` filters nothing."""

    start_from_ns: Annotated[
        int | None,
        FilterField(
            "StartTimeUnixNano",
            Comparison.AT_LEAST,
            "start_ns",
            "Started at or after: RFC 3339, or milliseconds since the epoch.",
            "2026-01-31T12:00:00Z",
            alias="from",
            is_instant=True,
        ),
    ] = None
    start_before_ns: Annotated[
        int | None,
        FilterField(
            "StartTimeUnixNano",
            Comparison.BELOW,
            "start_ns",
            "Started before: RFC 3339, or milliseconds since the epoch.",
            "1769860800000",
            alias="to",
            is_instant=True,
        ),
    ] = None
    status: Annotated[
        Status | None,
        FilterField("Status", Comparison.EQUALS, "status", "In this status.", "settled"),
    ] = None
    root_name: Annotated[
        str | None,
        FilterField(
            "RootName",
            Comparison.EQUALS,
            "root_name",
            "Whose root has this name.",
            "travel_planner",
        ),
    ] = None
    has_error: Annotated[
        bool | None,
        FilterField(
            "HasError",
            Comparison.EQUALS,
            "has_error",
            "In which something failed for good (or nothing did).",
            True,
        ),
    ] = None
    outcome: Annotated[
        Outcome | None,
        FilterField("Outcome", Comparison.EQUALS, "outcome", "That went like this.", "recovered"),
    ] = None
    is_duplicate: Annotated[
        bool | None,
        FilterField(
            "(DuplicateOf != '')",
            Comparison.EQUALS,
            "is_duplicate",
            "That repeat another run; left out unless asked for. `any`: those and all others.",
            False,
            has_to_be_asked_for=True,
        ),
    ] = None
    has_steps: Annotated[
        bool | None,
        FilterField(
            "(AgentSteps + ModelSteps + ToolSteps + GraphSteps > 0 OR Outcome != 'ok'"
            " OR Status = 'failed')",
            Comparison.EQUALS,
            "has_steps",
            "With a step or a failure (or without): an agent's making or a health check has none.",
            True,
        ),
    ] = None
    agent_name: Annotated[
        str | None,
        FilterField(
            "AgentNames",
            Comparison.CONTAINS,
            "agent_names",
            "In which this agent ran.",
            "research_agent",
        ),
    ] = None
    conversation_id: Annotated[
        str | None,
        FilterField(
            "ConversationId",
            Comparison.EQUALS,
            "conversation_id",
            "Of this conversation.",
            "trip-to-shanghai",
        ),
    ] = None
    model: Annotated[
        str | None,
        FilterField(
            "Models", Comparison.CONTAINS, "models", "In which this model was called.", "gpt-4o"
        ),
    ] = None
    service: Annotated[
        str | None,
        FilterField(
            "Services", Comparison.CONTAINS, "services", "With spans of this service.", "travel"
        ),
    ] = None
    environment: Annotated[
        str | None,
        FilterField(
            "Environment", Comparison.EQUALS, "environment", "That ran there.", "production"
        ),
    ] = None
    user_id: Annotated[
        str | None,
        FilterField("UserId", Comparison.EQUALS, "user_id", "For this user.", "user-ada"),
    ] = None
    tag: Annotated[
        str | None,
        FilterField("Tags", Comparison.CONTAINS, "tags", "With this tag.", "beta"),
    ] = None


class DeclaredField(NamedTuple):
    """A field with its name and its type."""

    name: str
    type: type
    field: FilterField


@cache
def declared_fields() -> tuple[DeclaredField, ...]:
    """Return the fields of ``TrajectoryFilter`` in their order."""
    hints = get_type_hints(TrajectoryFilter, include_extras=True)
    return tuple(_declared(item.name, hints[item.name]) for item in fields(TrajectoryFilter))


def asked_for(where: TrajectoryFilter) -> Iterator[tuple[DeclaredField, object]]:
    """Yield the fields that filter something, each with the value asked for."""
    for declared in declared_fields():
        value = getattr(where, declared.name)
        if value is not None:
            yield declared, value


def matches(where: TrajectoryFilter, line: object) -> bool:
    """Return whether a line, a ``TrajectorySummary`` or its like, passes every filter."""
    return all(
        _COMPARE[declared.field.comparison](getattr(line, declared.field.attribute), value)
        for declared, value in asked_for(where)
    )


_COMPARE: Mapping[Comparison, Callable[..., bool]] = {
    Comparison.EQUALS: operator.eq,
    Comparison.AT_LEAST: operator.ge,
    Comparison.BELOW: operator.lt,
    Comparison.CONTAINS: operator.contains,
}


def _declared(name: str, hint: object) -> DeclaredField:
    optional, field = get_args(hint)
    (kind,) = (t for t in get_args(optional) if t is not type(None))
    return DeclaredField(name, kind, field)
