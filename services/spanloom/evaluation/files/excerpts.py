"""Excerpts of the steps in evidence, for reports that people read without the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.step import NO_CODE
from spanloom.core.showing.values import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.contract.result import Evidence

MOST_STEPS = 3
"""Maximum steps of one result that have an excerpt."""
LONGEST = 160
"""Maximum characters of one excerpt."""


def excerpts_of(evidence: Sequence[Evidence], steps: Mapping[str, DocumentStep]) -> Iterator[str]:
    """Yield a line such as ``tool search: input {"q": 1}`` for up to ``MOST_STEPS`` steps."""
    for one in evidence[:MOST_STEPS]:
        step = steps.get(one.step_id)
        if step is None:
            yield f"step {shortened(one.step_id, LONGEST)}"
            continue
        label, text = _text_of(one, step)
        named = f"{step.type or 'step'} {shortened(step.name, 60)}".strip()
        yield f"{named}: {label} {shortened(text, LONGEST)}" if text else named
    if len(evidence) > MOST_STEPS:
        yield f"and {len(evidence) - MOST_STEPS} more"


def _text_of(one: Evidence, step: DocumentStep) -> tuple[str, str]:
    if one.field in ("input", "output"):
        text = step.input if one.field == "input" else step.output
        return one.field, text[one.start or 0 : one.end]
    if step.error:
        code = step.error.get("code") or NO_CODE
        return "error", f"{'' if code == NO_CODE else code} {step.error_message}".strip()
    return ("input", step.input) if step.type == "tool" else ("output", step.output)
