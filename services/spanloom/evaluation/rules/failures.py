"""The rule ``errors``: each failed step is recovered, or agent and run end without an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.rule import ORDER, Rule, Verdict, evidence_of, named, times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check


def _handled(_: Literal["handled"]) -> Check:
    return _check


def _check(facts: Facts) -> Verdict:
    fates = list(_fates(facts))
    counts = {fate: sum(one == fate for _, one in fates) for fate in _FATES}
    metrics = {fate: float(count) for fate, count in counts.items()}
    unhandled = [step for step, fate in fates if fate == "unhandled"]
    if unhandled:
        rationale = f"{times(len(unhandled), 'failed step')} not handled: "
        return Verdict(
            False, rationale + named(map(_described, unhandled)), evidence_of(unhandled), metrics
        )
    if not fates:
        return Verdict(True, "no step failed", (), metrics)
    rationale = ", ".join(f"{count} {fate}" for fate, count in counts.items() if count)
    return Verdict(
        True, f"failed steps: {rationale}", evidence_of(step for step, _ in fates), metrics
    )


_FATES = ("recovered", "survived", "unhandled")


def _fates(facts: Facts) -> Iterator[tuple[DocumentStep, str]]:
    """Yield each failed step with ``recovered``, ``survived`` or ``unhandled``.

    A failed root that is not a step comes last.
    """
    root = facts.document.root
    seen = set()
    for one in facts.each_agent():
        ended_well = one.agent is not None and one.agent.error is None and root.error is None
        last_success: dict[tuple[str, str], int] = {}
        for at, step in enumerate(one.steps):
            if step.error is None:
                last_success[_what(step)] = at
        for at, step in enumerate(one.steps):
            if step.error is not None and step.id not in seen:
                seen.add(step.id)
                if last_success.get(_what(step), -1) > at:
                    yield step, "recovered"
                else:
                    yield step, "survived" if ended_well else "unhandled"
    top = facts.top
    if top.error is not None and top.id not in seen:
        yield top, "unhandled"


def _what(step: DocumentStep) -> tuple[str, str]:
    """Return the type and name of a step's tool or model, whose later success is a recovery."""
    return step.type, (step.model or step.name) if step.type == "model" else step.name


def _described(step: DocumentStep) -> str:
    return f"{step.name} ({step.error_message[:60]})" if step.error_message else step.name


ERRORS: Final = Rule(Literal["handled"], _handled, ORDER | {Part.ERRORS, Part.METADATA})
