"""Rules on the tools of a run, and on their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BeforeValidator, Field

from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.globs import Glob, Globs, Names
from spanloom.evaluation.rules.rule import ORDER, Rule, Verdict, evidence_of, named, times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check


def _required(globs: Sequence[str]) -> Check:
    each = [(glob, Names([glob])) for glob in globs]

    def check(facts: Facts) -> Verdict:
        ran = {step.name for step in facts.tools}
        missing = [glob for glob, names in each if not any(name in names for name in ran)]
        if missing:
            return Verdict(False, f"no call of {named(missing)}")
        found = [step for step in facts.tools if any(step.name in names for _, names in each)]
        return Verdict(True, f"every required tool ran: {named(globs)}", evidence_of(found))

    return check


def _allowed(globs: Sequence[str]) -> Check:
    names = Names(globs)

    def check(facts: Facts) -> Verdict:
        return _none_of([step for step in facts.tools if step.name not in names], "not allowed")

    return check


def _forbidden(globs: Sequence[str]) -> Check:
    names = Names(globs)

    def check(facts: Facts) -> Verdict:
        return _none_of([step for step in facts.tools if step.name in names], "forbidden")

    return check


def _none_of(found: Sequence[DocumentStep], word: str) -> Verdict:
    if not found:
        return Verdict(True, f"no call of a tool that is {word}")
    rationale = f"{times(len(found), 'call')} of tools that are {word}: "
    return Verdict(False, rationale + named(step.name for step in found), evidence_of(found))


def _as_pairs(value: object) -> object:
    """Return a list of pairs; a single pair may be without a list."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return [value]
    return value


_Pair = Annotated[list[Glob], Field(min_length=2, max_length=2)]
Pairs = Annotated[list[_Pair], Field(min_length=1, max_length=100), BeforeValidator(_as_pairs)]
"""``[A, B]``, or a list of such pairs; each name is a glob."""


def _by_pairs(
    judge: Callable[[Sequence[DocumentStep], Names, Names], Sequence[DocumentStep]],
    broken: str,
    kept: str,
) -> Callable[[Sequence[Sequence[str]]], Check]:
    def make(pairs: Sequence[Sequence[str]]) -> Check:
        each = [(first, second, Names([first]), Names([second])) for first, second in pairs]

        def check(facts: Facts) -> Verdict:
            for first, second, firsts, seconds in each:
                if wrong := judge(facts.tools, firsts, seconds):
                    rationale = broken.format(calls=times(len(wrong), "call"), a=first, b=second)
                    return Verdict(False, rationale, evidence_of(wrong))
            return Verdict(True, "; ".join(kept.format(a=a, b=b) for a, b, *_ in each))

        return check

    return make


def _too_early(
    tools: Sequence[DocumentStep], firsts: Names, seconds: Names
) -> Sequence[DocumentStep]:
    """Return the ``seconds`` that start before one of ``firsts`` has ended without error."""
    done: int | None = None
    wrong = []
    for step in tools:
        if step.name in seconds and (done is None or step.started_at < done):
            wrong.append(step)
        if step.name in firsts and step.error is None:
            _, end = step.times
            done = end if done is None else min(done, end)
    return wrong


def _too_late(
    tools: Sequence[DocumentStep], firsts: Names, seconds: Names
) -> Sequence[DocumentStep]:
    """Return the first of ``firsts`` to end, and the ``seconds`` that start after it."""
    ended: DocumentStep | None = None
    wrong = []
    for step in tools:
        if step.name in seconds and ended is not None and step.started_at >= ended.times[1]:
            wrong.append(step)
        if step.name in firsts and (ended is None or step.times[1] < ended.times[1]):
            ended = step
    return [ended, *wrong] if ended is not None and wrong else []


_READS = ORDER | {Part.ERRORS}
REQUIRED_TOOLS: Final = Rule(Globs, _required, ORDER)
ALLOWED_TOOLS: Final = Rule(Globs, _allowed, ORDER)
FORBIDDEN_TOOLS: Final = Rule(Globs, _forbidden, ORDER)
TOOL_ORDER: Final = Rule(
    Pairs,
    _by_pairs(
        _too_early,
        "{calls} of {b} started before {a} had ended without error",
        "every {b} started after {a}",
    ),
    _READS,
)
NEVER_AFTER: Final = Rule(
    Pairs,
    _by_pairs(_too_late, "{b} started after {a} had ended", "no {b} started after {a}"),
    _READS,
)
