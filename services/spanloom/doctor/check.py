"""Defines a check: a function that derives a ``Verdict`` from facts. Also formats its numbers.

The parameters of the function name the facts that it needs (fields of ``Facts``). If one of them is
unknown the check is skipped with the reason. The function's docstring is part of the documentation.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.diagnosis import Finding, FindingStatus
from spanloom.doctor.facts import Broken, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.doctor.facts import Facts


class Verdict(NamedTuple):
    """The result of a check."""

    status: FindingStatus
    found: str
    todo: str = ""


class Check(NamedTuple):
    """A check and the facts that it needs."""

    name: str
    needs: Sequence[str]
    judge: Callable[..., Verdict]

    @classmethod
    def of(cls, judge: Callable[..., Verdict]) -> Check:
        """Make a check from a function: ``dead_letters`` becomes ``dead-letters``."""
        needs = tuple(inspect.signature(judge).parameters)
        return cls(judge.__name__.replace("_", "-"), needs, judge)

    @property
    def meaning(self) -> str:
        """Return the docstring as one paragraph: what is checked, and when it warns."""
        return " ".join((self.judge.__doc__ or "").split())


def examine(checks: Sequence[Check], facts: Facts) -> list[Finding]:
    """Run the checks and return a finding for each.

    A fact that could not be read is reported once, by the first check that needs it.
    """
    reported: set[Broken] = set()
    return [Finding(check.name, *_judge(check, facts, reported)) for check in checks]


def ok(summary: str) -> Verdict:
    """Return the result of a check that found no problem."""
    return Verdict(FindingStatus.OK, summary)


def warning(summary: str, todo: str) -> Verdict:
    """Return a warning with a remedy."""
    return Verdict(FindingStatus.WARNING, summary, todo)


def problem(summary: str, todo: str) -> Verdict:
    """Return a problem with a remedy."""
    return Verdict(FindingStatus.PROBLEM, summary, todo)


def skipped(reason: str) -> Verdict:
    """Return the result of a check that cannot run, with the reason."""
    return Verdict(FindingStatus.SKIPPED, reason)


def _judge(check: Check, facts: Facts, reported: set[Broken]) -> Verdict:
    values = {name: getattr(facts, name) for name in check.needs}
    for value in values.values():
        if isinstance(value, Unknown):
            return skipped(value.reason)
        if isinstance(value, Broken) and value in reported:
            return skipped(f"cannot be looked at: {value.reason}")
        if isinstance(value, Broken):
            reported.add(value)
            return problem(*value)
    return check.judge(**values)


_STEPS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
_SPANS = (("d", 86_400), ("h", 3_600), ("min", 60))


def size(number: int) -> str:
    """Format a number of bytes in the largest unit that fits: ``1.5 GiB``."""
    for unit, step in _STEPS:
        if number >= step:
            return f"{number / step:.1f} {unit}"
    return f"{number} bytes"


def span(seconds: float) -> str:
    """Format a duration in the largest unit that fits: ``2.5 h``."""
    for unit, step in _SPANS:
        if seconds >= step:
            return f"{seconds / step:.1f} {unit}"
    return f"{seconds:.1f} s"


def count(number: int, noun: str) -> str:
    """Format a number with its noun: ``1 request``, ``2,000 requests``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
