"""Computes the cost of a judge's calls by list prices."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.pricing import LISTED, cost_of

if TYPE_CHECKING:
    from spanloom.core.model.step import Usage
    from spanloom.core.pricing import Rates

_OWNERS = {"openai-chat": "openai", "openai-responses": "openai", "google-gla": "google"}
"""Providers in the price list, keyed by their names in pydantic-ai."""


@lru_cache(maxsize=64)
def rates_of(model: str) -> Rates | None:
    """Return today's list price of a model such as ``openai-chat:gpt-4o-mini``, if known."""
    provider, _, name = model.partition(":")
    price = LISTED.price(name, _OWNERS.get(provider, provider), time.time_ns())
    return None if price is None else price.rates


def usd(usage: Usage, rates: Rates | None) -> float | None:
    """Return the cost of a call in US dollars; ``None`` if price or tokens are unknown."""
    if rates is None or not usage.input_tokens:
        return None
    cost = cost_of(usage, rates)
    return None if cost is None else float(cost)
