"""Rules on numbers of steps: ``max_steps``, ``max_model_calls``, ``max_tool_calls``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from spanloom.evaluation.rules.rule import ORDER, Rule, Verdict, evidence_of, times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check

Count = Annotated[int, Field(strict=True, ge=0)]


def _at_most(noun: str, steps_of: Callable[[Facts], Sequence[DocumentStep]]) -> Rule[int]:
    def make(most: int) -> Check:
        def check(facts: Facts) -> Verdict:
            steps = steps_of(facts)
            rationale = f"{times(len(steps), noun)}, at most {most} allowed"
            metrics = {"measured": float(len(steps)), "limit": float(most)}
            return Verdict(len(steps) <= most, rationale, evidence_of(steps[most:]), metrics)

        return check

    return Rule(Count, make, ORDER)


MAX_STEPS: Final = _at_most("step", lambda facts: facts.counted)
MAX_MODEL_CALLS: Final = _at_most("model call", lambda facts: facts.models)
MAX_TOOL_CALLS: Final = _at_most("tool call", lambda facts: facts.tools)
