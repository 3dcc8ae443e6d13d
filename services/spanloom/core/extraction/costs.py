"""What calls cost: what their sender says, else their tokens by the prices that held.

A call whose price nobody knows has no cost, and then neither has its run: a sum that leaves calls
out would look like a cheap run. What is known of it stands beside.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import StepType
from spanloom.core.pricing.rates import cost_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.model.normalized import Facts
    from spanloom.core.model.trajectory import Step
    from spanloom.core.pricing.book import PriceBook

_MODEL = StepType.MODEL  # kept: until Python 3.12 an enum is slow to give it
COST = "cost"
"""Of a model step's metadata: US dollars, as a decimal."""
SOURCE = "cost_source"
"""``sender``, ``own`` (the operator's price list) or the name and version of the catalogue."""
SENDER = "sender"


def price_call(facts: Facts, when_ns: int, prices: PriceBook) -> Iterator[tuple[str, str]]:
    """Yield the metadata that tell what a model call cost that began then; none if unknown."""
    if told := facts.metadata.get("reported_cost"):
        yield COST, told
        yield SOURCE, SENDER
    elif facts.usage is not None and any(facts.usage):
        price = prices.price(facts.model, facts.metadata.get("provider", ""), when_ns)
        cost = None if price is None else cost_of(facts.usage, price.rates)
        if price is not None and cost is not None:
            yield COST, f"{cost.normalize():f}"
            yield SOURCE, price.source


def sum_costs(models: Sequence[Step]) -> dict[str, object] | None:
    """Return what model calls cost together, and whose prices that are; ``None`` without calls."""
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
    """Return what is known to have been paid, in US dollars; ``None`` where nothing is known."""
    known = [Decimal(step.metadata[COST]) for step in steps if COST in step.metadata]
    return sum(known, Decimal(0)) if known else None


def with_cost(agent: Step, owned: Sequence[Step]) -> Step:
    """Return an agent that tells what its own calls cost, without those of agents below it."""
    total = sum_costs([step for step in owned if step.type is _MODEL])
    if total is None or total["usd"] is None:
        return agent
    return agent._replace(metadata={**agent.metadata, COST: f"{sum_known(owned):f}"})


def _is_free(step: Step) -> bool:
    """Return whether a call failed before it used anything."""
    used = step.usage is not None and any(step.usage)
    return step.error is not None and not used and COST not in step.metadata
