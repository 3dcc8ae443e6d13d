"""What an examination found: one finding for each check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FindingStatus(StrEnum):
    """How a check ended, the worst last."""

    SKIPPED = "skipped"
    """It could not be made; what was found says why."""
    OK = "ok"
    WARNING = "warning"
    """It works, and will not for ever, or not as it was probably meant."""
    PROBLEM = "problem"
    """Something does not work, or acknowledged data is not where it belongs."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    """The check, for example ``disk``."""
    status: FindingStatus
    found: str
    """What was found, numbers with their units; one line."""
    todo: str = ""
    """What to do, with the exact command; empty where there is nothing to do."""
