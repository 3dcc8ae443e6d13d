"""A check: a pure function of some facts, found by its name.

The parameters of the function name the facts that it needs (fields of ``Facts``). Without one of
them the check is skipped with the reason. Its docstring stands in the documentation.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.finding import Finding, FindingStatus
from spanloom.doctor.facts import Broken, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.doctor.facts import Facts


class Verdict(NamedTuple):
    """What a check says."""

    status: FindingStatus
    found: str
    todo: str = ""


class Check(NamedTuple):
    """A check and what it needs."""

    name: str
    needs: Sequence[str]
    judge: Callable[..., Verdict]

    @classmethod
    def of(cls, judge: Callable[..., Verdict]) -> Check:
        """Make a check of a function: ``dead_letters`` becomes ``dead-letters``."""
        needs = tuple(inspect.signature(judge).parameters)
        return cls(judge.__name__.replace("_", "-"), needs, judge)

    @property
    def meaning(self) -> str:
        """Return in one paragraph what it looks at and when it warns."""
        return " ".join((self.judge.__doc__ or "").split())


def examine(checks: Sequence[Check], facts: Facts) -> list[Finding]:
    """Make the checks and return a finding for each.

    What is broken is told once, by the first check that needs it.
    """
    told: set[Broken] = set()
    return [Finding(check.name, *_judge(check, facts, told)) for check in checks]


def ok(found: str) -> Verdict:
    """Return the verdict that nothing is to be done."""
    return Verdict(FindingStatus.OK, found)


def warning(found: str, todo: str) -> Verdict:
    """Return what will go wrong, and what to do."""
    return Verdict(FindingStatus.WARNING, found, todo)


def problem(found: str, todo: str) -> Verdict:
    """Return what is wrong, and what to do."""
    return Verdict(FindingStatus.PROBLEM, found, todo)


def skipped(reason: str) -> Verdict:
    """Return why a check cannot be made."""
    return Verdict(FindingStatus.SKIPPED, reason)


def _judge(check: Check, facts: Facts, told: set[Broken]) -> Verdict:
    values = {name: getattr(facts, name) for name in check.needs}
    for value in values.values():
        if isinstance(value, Unknown):
            return skipped(value.reason)
        if isinstance(value, Broken) and value in told:
            return skipped(f"cannot be looked at: {value.reason}")
        if isinstance(value, Broken):
            told.add(value)
            return problem(*value)
    return check.judge(**values)
