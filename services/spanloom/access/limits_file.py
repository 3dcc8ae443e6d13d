"""The file that gives single projects limits of their own: TOML, read at the start.

For example::

    [projects.support]
    spans_per_s = 500
    bytes_per_s = "2MiB"
    stored_bytes = "20GiB"
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from pydantic import BaseModel, ByteSize, ConfigDict, Field, ValidationError

from spanloom.access.rates import ProjectLimits
from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_STRICT = ConfigDict(extra="forbid")


class _Project(BaseModel):
    model_config = _STRICT

    spans_per_s: float = Field(0, ge=0)
    bytes_per_s: ByteSize = Field(ByteSize(0), ge=0)
    stored_bytes: ByteSize = Field(ByteSize(0), ge=0)


class _File(BaseModel):
    model_config = _STRICT

    projects: dict[str, _Project] = {}


def read_limits(path: Path) -> Mapping[str, ProjectLimits]:
    """Return the limits by project; raises ``StartupError`` with the one line to print."""
    try:
        read = _File.model_validate(tomllib.loads(path.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise StartupError(f"--limits-file {path}: {where}: {first['msg']}") from error
    except (OSError, ValueError) as error:  # tomllib's errors are ValueErrors
        raise StartupError(f"--limits-file {path} cannot be read: {error}") from error
    return {
        project: ProjectLimits(
            limits.spans_per_s, float(limits.bytes_per_s), int(limits.stored_bytes)
        )
        for project, limits in read.projects.items()
    }
