"""The estimated cost of judging one run, before a model is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Estimate(NamedTuple):
    """Requests, their tokens and their cost, without retries."""

    calls: int
    input_tokens: int
    output_tokens: int
    """An upper bound: the sum of the limits of the answers."""
    cost_usd: float | None
    """The cost; ``None`` if the price of the model is unknown."""


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Return the sum of estimates; its cost is unknown if one of the costs is."""
    calls = tokens_in = tokens_out = 0
    cost: float | None = 0.0
    for one in estimates:
        calls += one.calls
        tokens_in += one.input_tokens
        tokens_out += one.output_tokens
        cost = None if cost is None or one.cost_usd is None else cost + one.cost_usd
    return Estimate(calls, tokens_in, tokens_out, cost)
