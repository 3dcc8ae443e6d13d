"""Facts about the installed software."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from spanloom import __version__
from spanloom.doctor.facts import SoftwareFacts


def look_at_software() -> SoftwareFacts:
    """Return the versions, and the packages that violate Spanloom's own requirements."""
    needed = [Requirement(text) for text in _required()]
    used = [r for r in needed if r.marker is None or r.marker.evaluate({"extra": ""})]
    misfits = [misfit for requirement in used if (misfit := _misfit(requirement))]
    return SoftwareFacts(__version__, platform.python_version(), len(used), misfits)


def _required() -> list[str]:
    try:
        return requires("spanloom") or []
    except PackageNotFoundError:  # Spanloom runs from source
        return []


def _misfit(requirement: Requirement) -> str:
    """Return why a package violates the requirement, empty if it does not."""
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement.name} is missing"
    if requirement.specifier.contains(installed, prereleases=True):
        return ""
    return f"{requirement.name} is {installed}, needed is {requirement.specifier}"
