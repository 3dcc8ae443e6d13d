"""Tokens cost the price of their kind, in the price tier that the call has reached."""

from __future__ import annotations

from decimal import Decimal

import pytest

from spanloom.core.model.step import Usage
from spanloom.core.pricing import Rate, Rates, Tier, cost_of

GEMINI = Rates(
    input=Rate(Decimal("1.25"), (Tier(200_000, Decimal("2.5")),)),
    output=Rate(Decimal(10), (Tier(200_000, Decimal(15)),)),
    cache_read=Rate(Decimal("0.125")),
)


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        (Usage(1_000_000 // 10, 0), "0.125"),
        (Usage(200_000, 1000), "0.26"),
        (Usage(200_001, 1000), "0.5150025"),
        (Usage(1000, 100, reasoning_tokens=80), "0.00225"),
        (Usage(1000, 0, cache_read_tokens=400), "0.0008"),
        (Usage(1000, 0, cache_creation_tokens=400), "0.00125"),
        (Usage(100, 0, cache_read_tokens=400), "0.00005"),  # input without cached tokens
    ],
)
def test_what_a_call_costs(usage: Usage, usd: str) -> None:
    assert cost_of(usage, GEMINI) == Decimal(usd)


def test_reasoning_and_cache_writes_have_prices_of_their_own_where_they_are_listed() -> None:
    rates = Rates(
        Rate(Decimal(1)), Rate(Decimal(2)), Rate(Decimal(3)), None, Rate(Decimal(4)), Decimal("0.5")
    )
    usage = Usage(1_000_000, 1_000_000, 500_000, 0, 500_000)
    assert cost_of(usage, rates) == Decimal("0.5") + Decimal("2.5") + Decimal("2.5")


def test_tokens_without_a_price_make_the_cost_unknown() -> None:
    embedding = Rates(input=Rate(Decimal("0.02")))
    assert cost_of(Usage(1_000_000), embedding) == Decimal("0.02")
    assert cost_of(Usage(1_000_000, 1), embedding) is None
