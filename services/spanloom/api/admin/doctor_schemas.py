"""Response models of a diagnosis and its findings."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, Field

from spanloom import __version__
from spanloom.core.model.finding import Finding, FindingStatus


class FindingItem(BaseModel):
    """What one check found."""

    name: Annotated[str, Field(description="The check (docs/operations.md).", examples=["parts"])]
    status: FindingStatus
    found: Annotated[str, Field(description="What was found, numbers with their units.")]
    todo: Annotated[str, Field(description="What to do, with the command; empty for nothing.")]


class Diagnosis(BaseModel):
    """What the running process found."""

    version: Annotated[str, Field(description="The version of Spanloom that runs.")]
    pid: Annotated[int, Field(description="Its process, which the data directory names too.")]
    findings: list[FindingItem]

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> "Diagnosis":
        """Return findings as a diagnosis by this process."""
        items = [FindingItem(**asdict(finding)) for finding in findings]
        return cls(version=__version__, pid=os.getpid(), findings=items)
