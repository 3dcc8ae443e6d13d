"""Checks of the installed software."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.doctor.check import Verdict, ok, problem

if TYPE_CHECKING:
    from spanloom.doctor.facts import SoftwareFacts


def spanloom(software: SoftwareFacts) -> Verdict:
    """Report the versions of Spanloom and Python."""
    return ok(f"Spanloom {software.spanloom}, Python {software.python}")


def packages(software: SoftwareFacts) -> Verdict:
    """Problem if a package that Spanloom needs is missing or of an unsupported version."""
    if not software.misfits:
        return ok(f"{software.packages} packages, each of a version that Spanloom is made for")
    return problem(
        "; ".join(software.misfits), "`pip install --upgrade spanloom` in this environment"
    )
