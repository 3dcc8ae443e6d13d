"""Rules on repetition: repeated calls, and cycles of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.rule import ORDER, Rule, Verdict, evidence_of, named

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check

MAX_PERIOD = 8
_CALLS = frozenset({"tool", "agent"})
"""Types of steps that have arguments."""
Times = Annotated[int, Field(strict=True, ge=2, le=1_000)]


class Loop(BaseModel):
    """The cycles that are forbidden."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    period: Annotated[int, Field(strict=True, ge=1, le=MAX_PERIOD)] = MAX_PERIOD
    """Maximum steps of a cycle."""
    times: Times
    """Consecutive repetitions that make a cycle a loop."""


def _repeats(most: int) -> Check:
    def check(facts: Facts) -> Verdict:
        longest: list[DocumentStep] = []
        same: dict[tuple[str, str], tuple[str, list[DocumentStep]]] = {}
        for step in facts.tools:
            call = step.name, facts.canonical(step.input)
            result = f"{step.error_message if step.error else ''}\0{facts.canonical(step.output)}"
            before = same.get(call)
            if before is not None and before[0] == result:
                before[1].append(step)
            else:
                before = same[call] = result, [step]
            if len(before[1]) > len(longest):
                longest = before[1]
        count = len(longest)
        metrics = {"measured": float(count), "limit": float(most)}
        if count < most:
            return Verdict(True, f"no call came {most} times with one result", (), metrics)
        rationale = f"{longest[0].name} ran {count} times with the same arguments and result"
        return Verdict(False, rationale, evidence_of(longest), metrics)

    return check


class _Cycle(NamedTuple):
    steps: Sequence[DocumentStep]
    period: int


def _loop(limits: Loop) -> Check:
    def check(facts: Facts) -> Verdict:
        for one in facts.each_agent():
            if found := _find_loop(one, limits):
                cycle = [step.name for step in found.steps[: found.period]]
                agent = found.steps[0].agent_name
                rationale = f"{agent} repeated {named(cycle)} {limits.times} times in a row"
                return Verdict(False, rationale, evidence_of(found.steps))
        return Verdict(True, f"no cycle came {limits.times} times in a row")

    return check


def _find_loop(facts: Facts, limits: Loop) -> _Cycle | None:
    """Return an agent's shortest cycle with enough repetitions; ``None`` if there is none.

    Inputs of models and graphs grow with every call, so they are not compared in a cycle that has a
    tool or an agent; in a cycle of models alone they are compared.
    """
    calls_only, whole = [], []
    for step in facts.steps:
        is_call = step.type in _CALLS
        arguments = facts.canonical(step.input) if is_call else step.input
        calls_only.append((step.type, step.name, arguments if is_call else None))
        whole.append((step.type, step.name, arguments))
    ways = (_numbered(calls_only), True), (_numbered(whole), False)
    for period in range(1, limits.period + 1):
        size = period * limits.times
        for numbers, needs_call in ways:
            for start in _runs(numbers, period, size):
                cycle = facts.steps[start : start + period]
                if not needs_call or any(step.type in _CALLS for step in cycle):
                    return _Cycle(facts.steps[start : start + size], period)
    return None


def _numbered(keys: Sequence[Hashable]) -> Sequence[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _runs(keys: Sequence[int], period: int, size: int) -> Iterator[int]:
    """Yield the start of each sequence of ``size`` keys that repeats with a period."""
    equal = 0
    for at in range(period, len(keys)):
        equal = equal + 1 if keys[at] == keys[at - period] else 0
        if equal == size - period:
            yield at - size + 1


_READS = ORDER | {Part.INPUTS}
REPEATS: Final = Rule(Times, _repeats, _READS | {Part.OUTPUTS, Part.ERRORS})
LOOP: Final = Rule(Loop, _loop, _READS)
