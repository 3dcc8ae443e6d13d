"""A taxonomy: its criteria, each with a closed list of categories or a range of numbers."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # read at runtime
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanloom.core.annotation.presets import presets

if TYPE_CHECKING:
    from spanloom.core.annotation.scheme import Scheme


class Criterion(BaseModel):
    """One aspect that is judged, with its categories or its range of numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    categories: tuple[str, ...] = Field((), description="All values; none of a number.")
    passing: tuple[str, ...] = Field((), description="Those that are good enough.")
    scale: tuple[float, float] | None = Field(None, description="Least and most of a number.")
    groups: Mapping[str, str] = Field({}, description="The group of a category.")
    definitions: Mapping[str, str] = Field({}, description="In our words what one means.")


class Taxonomy(BaseModel):
    """Labels by which a publication classifies runs or steps."""

    model_config = ConfigDict(frozen=True)

    name: str
    source: str = Field(description="Where its names come from.")
    unit: Literal["step", "trajectory"] = Field(description="What is marked.")
    criteria: tuple[Criterion, ...]
    last_occurrence: tuple[str, ...] = Field(
        (), description="Categories that the last of several steps has; others the first."
    )


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str
    unit: Literal["step", "trajectory"]
    criteria: tuple[Criterion, ...] = ()
    scheme: str = ""
    """The annotation scheme with the labels."""
    severity: str = "severity"
    """The name of the criterion that has the severities."""
    last_occurrence: tuple[str, ...] = ()


def read_taxonomy(name: str, value: object) -> Taxonomy:
    """Return the taxonomy of a file; raises pydantic's ``ValidationError``."""
    read = _File.model_validate(value)
    return Taxonomy(
        name=name,
        source=read.source,
        unit=read.unit,
        criteria=_of_scheme(presets()[read.scheme], read) if read.scheme else read.criteria,
        last_occurrence=read.last_occurrence,
    )


def _of_scheme(scheme: Scheme, read: _File) -> tuple[Criterion, ...]:
    groups = {name: kind.name for kind in scheme.error_types for name in kind.subtypes}
    errors = Criterion(
        name="error_type",
        categories=tuple(groups),
        groups=groups,
        definitions={name: scheme.definitions[name] for name in groups},
    )
    severities = tuple(one.name for one in scheme.severities)
    return errors, Criterion(name=read.severity, categories=severities)
