"""The attributes of a resource that name the project of its spans and records (ADR 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.access import DEFAULT_PROJECT, is_project_name

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT = "spanloom.project"
PROJECT_ATTRIBUTES = (PROJECT, "openinference.project.name")
"""Resource attributes with a project name, in order of precedence; invalid names are skipped."""


def project_of(attributes: Mapping[str, str]) -> str:
    """Return the project that these resource attributes name, or the default project."""
    named = (attributes.get(name, "") for name in PROJECT_ATTRIBUTES)
    return next(filter(is_project_name, named), DEFAULT_PROJECT)
