"""Reads the file with retention terms per project; the keeper rereads it when it changes.

.. code-block:: toml

    [projects.travel]
    spans_days = 7
    trajectories_days = 365
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from spanloom.core.errors import StartupError
from spanloom.core.model.upkeep import RetentionPlan, Terms

if TYPE_CHECKING:
    from pathlib import Path

MAX_DAYS = 36_500


def read_plan(path: Path, default: Terms) -> RetentionPlan:
    """Return the terms of every project; without a file ``default`` for all.

    Terms that a project's table does not name have the default. Raises ``StartupError`` with one
    line that names the file and the faulty place.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return RetentionPlan(default)
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError(f"cannot read the retention file {path}: {error}") from error
    try:
        tables = tomllib.loads(text)
        unknown = sorted(tables.keys() - {"projects"})
        if unknown:
            raise ValueError(f"{unknown[0]!r} is none of its tables: write [projects.NAME]")
        projects = {name: _terms(name, t, default) for name, t in tables["projects"].items()}
    except (ValueError, KeyError, AttributeError) as error:
        raise StartupError(f"the retention file {path} cannot be used: {error}") from error
    return RetentionPlan(default, projects)


def _terms(project: str, table: dict[str, object], default: Terms) -> Terms:
    known = {"spans_days": default.spans, "trajectories_days": default.trajectories}
    for name, days in table.items():
        if name not in known:
            raise ValueError(f"{name!r} of project {project!r} is none of {', '.join(known)}")
        if type(days) is not int or not 0 <= days <= MAX_DAYS:
            raise ValueError(f"{name} of project {project!r} is not a number of days: {days!r}")
        known[name] = days
    return Terms(known["spans_days"], known["trajectories_days"])
