"""Results of ``spanloom doctor``: one finding for each check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FindingStatus(StrEnum):
    """How a check ended, the worst last."""

    SKIPPED = "skipped"
    """The check could not be made; ``found`` says why."""
    OK = "ok"
    WARNING = "warning"
    """It works, but may stop working or differs from what was probably intended."""
    PROBLEM = "problem"
    """Something does not work, or acknowledged data is not where it belongs."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    """Name of the check, for example ``disk``."""
    status: FindingStatus
    found: str
    """What was found, numbers with their units; one line."""
    todo: str = ""
    """What to do, with the exact command; empty if nothing is to be done."""
