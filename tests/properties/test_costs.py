"""Our costs equal those that the price catalogue's own code computes, for all its models."""

from __future__ import annotations

from datetime import UTC, datetime

from genai_prices import Usage as TheirUsage
from genai_prices.data_snapshot import get_snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples

from spanloom.core.model.step import Usage
from spanloom.core.pricing import cost_of, read_rates

MODELS = {
    f"{provider.id}/{model.id}": (provider, model)
    for provider in get_snapshot().providers
    for model in provider.models
}
COUNTS = st.sampled_from([0, 1, 999, 128_001, 200_001, 1_000_000])


@given(
    st.sampled_from(sorted(MODELS)),
    st.integers(1_600_000_000, 2_000_000_000).map(lambda s: datetime.fromtimestamp(s, UTC)),
    st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, st.integers(0, 500)),
)
@settings(max_examples=examples(300))
def test_any_call_of_any_listed_model(
    name: str, when: datetime, parts: tuple[int, int, int, int, int]
) -> None:
    (provider, model), (fresh, read, written, said, reasoning) = MODELS[name], parts
    prices = model.get_prices(when)
    usage = Usage(fresh + read + written, said + reasoning, reasoning, read, written)
    ours = cost_of(usage, read_rates(prices))
    if ours is not None:
        theirs = TheirUsage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            output_reasoning_tokens=reasoning,
            cache_read_tokens=read,
            cache_write_tokens=written,
        )
        told = model.calc_price(theirs, provider, genai_request_timestamp=when)
        assert ours == told.total_price
    else:
        assert prices.input_mtok is None or prices.output_mtok is None
