"""SQL conditions that replace an untyped ``{name}`` in a query.

A query file has ``WHERE {reach} AND {filter}``. A condition has a text, which is built from our
own declarations only, and the values of its parameters. A placeholder that is not replaced is a
syntax error: no query can run without its condition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach


FILTERS = "additional_table_filters"
"""The setting that hides rows from a query, whatever its text."""


class Condition(NamedTuple):
    """A condition as SQL, and the values of its parameters."""

    text: str
    values: Mapping[str, object]


def within(reach: Reach) -> Condition:
    """Return the condition that a row is of a project within the reach.

    A single project is compared with a constant: rows are then read in the order of the table.
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
    """Return the query with a setting that hides rows not meeting their table's condition."""
    if not conditions:
        return text
    by_table = ", ".join(f"{quoted(table)}: {quoted(c)}" for table, c in conditions.items())
    joint = "," if _SETTINGS.search(text) else "\nSETTINGS"
    return f"{text}{joint} {FILTERS} = {{{by_table}}}"


_SETTINGS = re.compile(r"^SETTINGS .*\Z", re.MULTILINE)
"""The last line of a query that has its own settings."""


def quoted(text: str) -> str:
    """Return a text as an SQL literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
