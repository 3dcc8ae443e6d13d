"""Computes the metrics of an agent or a run, and the costs of its model calls."""

from __future__ import annotations

from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.step import Step, StepType, Usage
from spanloom.core.model.trajectory import Metrics
from spanloom.core.pricing import cost_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.span import Facts
    from spanloom.core.pricing import PriceBook

_MODEL, _TOOL = StepType.MODEL, StepType.TOOL  # cached: slow enum lookup before Python 3.12
_CALLS = (_MODEL, _TOOL)
_NOTHING = Metrics()
_BY_START = attrgetter("start_ns")


def measure(steps: Iterable[Step]) -> Metrics:
    """Compute metrics from model and tool steps; agents and graphs only contain other steps."""
    own = [s for s in steps if s.type in _CALLS]
    if not own:
        return _NOTHING
    models = [s for s in own if s.type is _MODEL]
    tools = [s for s in own if s.type is _TOOL]
    model_errors, tool_errors = _errors(models), _errors(tools)
    usage = sum_usage(models)
    return Metrics(
        llm_duration_ns=_sum_durations(models),
        tool_duration_ns=_sum_durations(tools),
        model_errors=model_errors,
        tool_errors=tool_errors,
        model_error_rate=_share(sum(map(len, model_errors.values())), len(models)),
        tool_error_rate=_share(sum(map(len, tool_errors.values())), len(tools)),
        tool_step_proportion=_share(len(tools), len(models) + len(tools)),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )


def sum_usage(models: Iterable[Step]) -> Usage:
    """Return the sum of the model calls' tokens per kind of token; zeros if there are no calls."""
    used = [s.usage for s in models if s.usage]
    return Usage(*map(sum, zip(*used, strict=True)))


def union_ns(steps: Iterable[Step]) -> int:
    """Return the time during which at least one step ran, in ns: 0 to 5 and 3 to 8 → 8."""
    total, reached = 0, 0
    for step in sorted(steps, key=_BY_START):
        began = max(step.start_ns, reached)
        if step.end_ns > began:
            total += step.end_ns - began
            reached = step.end_ns
    return total


def _sum_durations(steps: Iterable[Step]) -> int:
    """Return the sum of the steps' durations in ns; a negative duration counts as zero."""
    return sum([s.end_ns - s.start_ns for s in steps if s.end_ns > s.start_ns])


def _errors(steps: Iterable[Step]) -> Mapping[str, Sequence[str]]:
    ids_by_code: dict[str, list[str]] = {}
    for step in steps:
        if step.error is not None:
            ids_by_code.setdefault(str(step.error.code), []).append(step.id)
    return dict(sorted(ids_by_code.items()))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


COST = "cost"
"""Metadata key of a model step's cost: US dollars, as a decimal."""
SOURCE = "cost_source"
"""Metadata key of the cost's source: ``sender``, ``own`` (the operator's price list), or the name
and version of the catalogue."""
SENDER = "sender"


def price_call(facts: Facts, when_ns: int, prices: PriceBook) -> Iterator[tuple[str, str]]:
    """Yield the cost metadata of a model call that began at ``when_ns``, if the cost is known."""
    if reported := facts.metadata.get("reported_cost"):
        yield COST, reported
        yield SOURCE, SENDER
    elif facts.usage is not None and any(facts.usage):
        price = prices.price(facts.model, facts.metadata.get("provider", ""), when_ns)
        cost = None if price is None else cost_of(facts.usage, price.rates)
        if price is not None and cost is not None:
            yield COST, f"{cost.normalize():f}"
            yield SOURCE, price.source


def sum_costs(models: Sequence[Step]) -> dict[str, object] | None:
    """Return the total cost and price sources of model calls; ``None`` if there are no calls."""
    billed = [step for step in models if not _is_free(step)]
    if not billed:
        return None
    known = sum_known(billed)
    unpriced = [step for step in billed if COST not in step.metadata]
    shown: dict[str, object] = {
        "usd": None if unpriced or known is None else float(known),
        "known_usd": None if known is None else float(known),
        "sources": sorted({s.metadata[SOURCE] for s in billed if SOURCE in s.metadata}),
    }
    if unpriced:
        shown["unpriced_calls"] = len(unpriced)
        shown["unpriced_models"] = sorted({step.model for step in unpriced} - {""})
    return shown


def sum_known(steps: Iterable[Step]) -> Decimal | None:
    """Return the sum of the known costs, in US dollars; ``None`` if none is known."""
    known = [Decimal(step.metadata[COST]) for step in steps if COST in step.metadata]
    return sum(known, Decimal(0)) if known else None


def with_cost(agent: Step, owned: Sequence[Step]) -> Step:
    """Return the agent with the cost of its own model calls, without those of agents below it."""
    total = sum_costs([step for step in owned if step.type is _MODEL])
    if total is None or total["usd"] is None:
        return agent
    return agent._replace(metadata={**agent.metadata, COST: f"{sum_known(owned):f}"})


def _is_free(step: Step) -> bool:
    """Return whether a model call failed before it used any tokens, and has no price."""
    used = step.usage is not None and any(step.usage)
    return is_free(
        has_failed=step.error is not None, has_used=used, is_priced=COST in step.metadata
    )


def is_free(*, has_failed: bool, has_used: bool, is_priced: bool) -> bool:
    """Return whether a model call failed before it used any tokens, and has no price."""
    return has_failed and not has_used and not is_priced
