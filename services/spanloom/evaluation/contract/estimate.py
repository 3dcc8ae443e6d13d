"""What judging one run would take, before a model is called."""

from __future__ import annotations

from typing import NamedTuple


class Estimate(NamedTuple):
    """Requests, their tokens and their cost, without those that are made again."""

    calls: int
    input_tokens: int
    output_tokens: int
    """At most: as many as an answer may have."""
    cost_usd: float | None
    """``None`` if the price of the model is unknown."""
