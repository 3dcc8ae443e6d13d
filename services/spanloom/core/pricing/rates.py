"""What the tokens of one model cost, and what a call costs by that."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.trajectory import Usage

_NOTHING = Decimal(0)
_PER_MILLION = -6


class Tier(NamedTuple):
    """The price of all tokens of a call with more than so many input tokens."""

    above: int
    usd: Decimal
    """US dollars for a million tokens."""


class Rate(NamedTuple):
    """What a million tokens of one kind cost, in US dollars."""

    usd: Decimal
    tiers: Sequence[Tier] = ()
    """In the order of their thresholds; the highest one that is passed counts, for all tokens:
    of 200,001 input tokens of a model with a tier above 200,000 none has the lower price."""

    def at(self, input_tokens: int) -> Decimal:
        """Return the price in a call with so many input tokens."""
        usd = self.usd
        for tier in self.tiers:
            if input_tokens > tier.above:
                usd = tier.usd
        return usd


class Rates(NamedTuple):
    """What a model costs."""

    input: Rate | None = None
    output: Rate | None = None
    reasoning: Rate | None = None
    """Where it is ``None``, reasoning costs as much as any output."""
    cache_read: Rate | None = None
    """Where it is ``None``, cached tokens cost as much as others."""
    cache_creation: Rate | None = None
    per_call: Decimal = _NOTHING
    """US dollars for a call, whatever its tokens."""


def cost_of(usage: Usage, rates: Rates) -> Decimal | None:
    """Return what a call cost in US dollars; ``None`` where a price of its tokens is unknown.

    Input tokens include cached ones, output tokens include reasoning, as in ``Usage``.
    """
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    counted = (
        (max(usage.input_tokens - cached, 0), rates.input),
        (usage.cache_read_tokens, rates.cache_read or rates.input),
        (usage.cache_creation_tokens, rates.cache_creation or rates.input),
        (max(usage.output_tokens - usage.reasoning_tokens, 0), rates.output),
        (usage.reasoning_tokens, rates.reasoning or rates.output),
    )
    total = _NOTHING
    for tokens, rate in counted:
        if tokens:
            if rate is None:
                return None
            total += tokens * rate.at(usage.input_tokens)
    return total.scaleb(_PER_MILLION) + rates.per_call
