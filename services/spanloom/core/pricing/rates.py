"""Token prices of a model, and the cost of a call at these prices."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.trajectory import Usage

_NOTHING = Decimal(0)
_PER_MILLION = -6


class Tier(NamedTuple):
    """The price of all tokens of a call with more than ``above`` input tokens."""

    above: int
    usd: Decimal
    """US dollars per million tokens."""


class Rate(NamedTuple):
    """The price of one kind of tokens, in US dollars per million."""

    usd: Decimal
    tiers: Sequence[Tier] = ()
    """Sorted by threshold; the highest one that is exceeded applies to all tokens of the call:
    of 200,001 input tokens of a model with a tier above 200,000 none has the lower price."""

    def at(self, input_tokens: int) -> Decimal:
        """Return the price in a call with this many input tokens."""
        usd = self.usd
        for tier in self.tiers:
            if input_tokens > tier.above:
                usd = tier.usd
        return usd


class Rates(NamedTuple):
    """The prices of a model."""

    input: Rate | None = None
    output: Rate | None = None
    reasoning: Rate | None = None
    """``None``: reasoning tokens cost as much as other output."""
    cache_read: Rate | None = None
    """``None``: cached tokens cost as much as other input."""
    cache_creation: Rate | None = None
    per_call: Decimal = _NOTHING
    """US dollars per call, in addition to its tokens."""


def cost_of(usage: Usage, rates: Rates) -> Decimal | None:
    """Return the cost of a call in US dollars; ``None`` if the price of its tokens is unknown.

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
