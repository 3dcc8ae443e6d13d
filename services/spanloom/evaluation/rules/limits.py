"""Rules on totals of the whole run: tokens, cost, times. An unknown total never passes."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from spanloom.core.document import whole
from spanloom.core.extraction.metrics import COST
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.rule import NotApplicableError, Rule, Verdict, evidence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check

Limit = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


def _at_most(
    noun: str, measure: Callable[[Facts], float | None], reads: AbstractSet[Part]
) -> Rule[float]:
    def make(limit: float) -> Check:
        def check(facts: Facts) -> Verdict:
            value = measure(facts)
            if value is None:
                raise NotApplicableError(f"the run does not tell its {noun}")
            passed = value <= limit
            rationale = f"{noun} {_plain(value)}, at most {_plain(limit)} allowed"
            evidence = () if passed else evidence_of([facts.top])
            return Verdict(passed, rationale, evidence, {"measured": value, "limit": limit})

        return check

    return Rule(Limit, make, reads)


def _tokens(facts: Facts) -> float | None:
    metrics = facts.top.metrics
    total = metrics.input_tokens + metrics.output_tokens
    return None if facts.models and not total else float(total)


def _cost_usd(facts: Facts) -> float | None:
    if facts.agent is not None:
        return _sum_costs(facts.models)
    return _number(facts.document.extraction.cost_usd)


def _sum_costs(models: Iterable[DocumentStep]) -> float | None:
    total = Decimal(0)
    known = False
    for step in models:
        try:
            total += Decimal(str(step.metadata[COST]))
        except (KeyError, InvalidOperation):
            return None
        known = True
    return float(total) if known and total.is_finite() else None


def _duration_ms(facts: Facts) -> float | None:
    return float(facts.top.duration) if facts.has_times else None


def _llm_wall_ms(facts: Facts) -> float | None:
    if not facts.has_times:
        return None
    if facts.agent is not None:
        return float(_union_ms(facts.models))
    return _number(facts.document.extraction.llm_wall_ms)


def _union_ms(steps: Iterable[DocumentStep]) -> int:
    """Return the milliseconds in which at least one step ran; ``steps`` are sorted by start."""
    total = reached = 0
    for step in steps:
        start, end = step.times
        if end > reached:
            total += end - max(start, reached)
            reached = end
    return total


def _first_token_ms(facts: Facts) -> float | None:
    if facts.agent is None:
        return _number(facts.document.extraction.time_to_first_token_ms)
    start = facts.agent.started_at
    seen = [
        step.started_at - start + latency
        for step in facts.models
        if (latency := whole(step.model_info.get("latency_first_resp"), -1)) >= 0
    ]
    return float(min(seen)) if seen else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _plain(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


_TIMES = frozenset({Part.TIMES})
TOKENS: Final = _at_most("tokens", _tokens, frozenset({Part.TOKENS, Part.TYPES}))
COST_USD: Final = _at_most("cost in USD", _cost_usd, frozenset({Part.RUN, Part.METADATA}))
DURATION_MS: Final = _at_most("duration in ms", _duration_ms, _TIMES)
LLM_WALL_MS: Final = _at_most(
    "time of model calls in ms", _llm_wall_ms, _TIMES | {Part.RUN, Part.TYPES}
)
FIRST_TOKEN_MS: Final = _at_most(
    "time to the first token in ms", _first_token_ms, _TIMES | {Part.RUN, Part.TOKENS}
)
