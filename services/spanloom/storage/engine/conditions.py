"""Conditions that a query takes in place of a ``{name}`` without a type.

A query file says ``WHERE {reach} AND {filter}``. A condition brings its text, which comes from
our own declarations alone, and the values that its text binds. One that nobody fills in is a
syntax error: no query can be run without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.tenancy import Reach


FILTERS = "additional_table_filters"
"""The setting that keeps rows from a query, whatever it says."""


class Condition(NamedTuple):
    """A condition as SQL, and the values of its parameters."""

    text: str
    values: Mapping[str, object]


def within(reach: Reach) -> Condition:
    """Return the condition that a row is of a project within the reach.

    One project is a constant of its own: the rows of a table in its order are then in order.
    """
    if reach.is_every:
        return Condition("true", {})
    if len(reach.projects) == 1:
        return Condition("Project = {reach_project:String}", {"reach_project": min(reach.projects)})
    return Condition(
        "Project IN JSONExtract({reach_projects:String}, 'Array(String)')",
        {"reach_projects": sorted(reach.projects)},
    )


def without(condition: Condition, projects: Sequence[str]) -> Condition:
    """Return the condition that also leaves out rows of these projects."""
    others = "Project NOT IN JSONExtract({other_projects:String}, 'Array(String)')"
    values = {**condition.values, "other_projects": list(projects)}
    return Condition(f"({condition.text} AND {others})", values)


def both(one: Condition, other: Condition) -> Condition:
    """Return the condition that both hold."""
    return Condition(f"({one.text}) AND ({other.text})", {**one.values, **other.values})


def fill_in(text: str, parameters: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Return the query with its conditions, and the values of all its parameters."""
    values: dict[str, object] = {}
    for name, value in parameters.items():
        if isinstance(value, Condition):
            text = text.replace(f"{{{name}}}", value.text)
            values.update(value.values)
        else:
            values[name] = value
    return text, values


def filtered(text: str, conditions: Mapping[str, str]) -> str:
    """Return the query as one that sees only those rows of each table that meet its condition."""
    if not conditions:
        return text
    by_table = ", ".join(f"{quoted(table)}: {quoted(c)}" for table, c in conditions.items())
    joint = "," if _SETTINGS.search(text) else "\nSETTINGS"
    return f"{text}{joint} {FILTERS} = {{{by_table}}}"


_SETTINGS = re.compile(r"^SETTINGS .*\Z", re.MULTILINE)
"""The last line of a query that has settings of its own."""


def quoted(text: str) -> str:
    """Return a text as a literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
