"""Computes the cost of model calls from token counts and prices.

``PriceBook.price`` returns the price that was valid when a call began, ``cost_of`` the cost of its
tokens at that price. An unknown cost is ``None``, never 0.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.price_names import listed_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

    from spanloom.core.model.step import Usage

OWN = "own"


class OwnPrice(NamedTuple):
    """A price configured by the operator."""

    model: str
    """The model's name in the telemetry; a trailing ``*`` makes it a prefix."""
    rates: Rates
    provider: str = ""
    """The provider to which the price applies; empty for all."""
    from_ns: int = 0
    """The price applies to calls that began at this time or later."""

    def is_for(self, model: str, provider: str, when_ns: int) -> bool:
        """Return whether the price applies to a call of this model at this time."""
        if when_ns < self.from_ns or self.provider not in ("", provider):
            return False
        if self.model.endswith("*"):
            return model.startswith(self.model[:-1])
        return model == self.model


class Price(NamedTuple):
    """The rates that apply to a call, and where they come from."""

    rates: Rates
    source: str
    """``own`` for the operator's price, otherwise name and version of the price catalogue."""


class PriceBook:
    """Finds the price of a model by name, provider and time."""

    def __init__(self, own: Sequence[OwnPrice] = ()) -> None:
        """Set the operator's own prices; if several apply to a call, the last one counts."""
        self._own = tuple(reversed(own))

    def price(self, model: str, provider: str, when_ns: int) -> Price | None:
        """Return the price for a call that began at ``when_ns``; ``None`` if it is unknown."""
        for own in self._own:
            if own.is_for(model, provider, when_ns):
                return Price(own.rates, OWN)
        listed = list_price(model, provider, when_ns) if model else None
        return None if listed is None else Price(listed, catalogue_version())


LISTED = PriceBook()
"""A price book with only the list prices."""


_NOTHING = Decimal(0)
_PER_MILLION = -6


class Tier(NamedTuple):
    """The price that applies to all tokens of a call with more than ``above`` input tokens."""

    above: int
    usd: Decimal
    """US dollars per million tokens."""


class Rate(NamedTuple):
    """The price of one kind of tokens, in US dollars per million."""

    usd: Decimal
    tiers: Sequence[Tier] = ()
    """Sorted by threshold; the highest exceeded tier applies to all tokens of the call.

    With a tier above 200,000 and 200,001 input tokens, all of them have the tier's price.
    """

    def at(self, input_tokens: int) -> Decimal:
        """Return the price for a call with this many input tokens."""
        usd = self.usd
        for tier in self.tiers:
            if input_tokens > tier.above:
                usd = tier.usd
        return usd


class Rates(NamedTuple):
    """The prices of a model for each kind of tokens, and per call."""

    input: Rate | None = None
    output: Rate | None = None
    reasoning: Rate | None = None
    """The rate of reasoning tokens; ``None`` if they cost as much as other output."""
    cache_read: Rate | None = None
    """The rate of cached tokens; ``None`` if they cost as much as other input."""
    cache_creation: Rate | None = None
    per_call: Decimal = _NOTHING
    """US dollars per call, in addition to its tokens."""


def cost_of(usage: Usage, rates: Rates) -> Decimal | None:
    """Return the cost of a call in US dollars; ``None`` if the price of its tokens is unknown.

    Input tokens include cached tokens, output tokens include reasoning tokens, as in ``Usage``.
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


# List prices are from genai-prices: some thirty providers, with the dates of price changes. Each
# provider in its data names the page that its prices were read from (``pricing_urls``).

MODELS_KEPT = 4096
"""Number of model names for which the catalogue entry is cached."""
_NS = 10**9


class ListedModel:
    """A model in the price catalogue; each of its prices is converted to ``Rates`` once."""

    def __init__(self, info: ModelInfo) -> None:
        """Wrap the catalogue's entry for a model."""
        self._info = info
        self._rates: dict[int, Rates] = {}
        self._only = None if isinstance(info.prices, list) else read_rates(info.prices)

    def rates(self, when_ns: int) -> Rates:
        """Return the prices that were valid at this time."""
        if self._only is not None:
            return self._only
        price = self._info.get_prices(datetime.fromtimestamp(when_ns // _NS, UTC))
        known = self._rates.get(id(price))  # ids are stable because the model holds its prices
        if known is None:
            known = self._rates[id(price)] = read_rates(price)
        return known


@cache
def catalogue_version() -> str:
    """Return name and version of the catalogue: ``genai-prices 0.2.3``."""
    return f"genai-prices {version('genai-prices')}"


def list_price(model: str, provider: str, when_ns: int) -> Rates | None:
    """Return the list price of a model at a time; ``None`` if it is not listed.

    ``provider`` is the name in the telemetry, or empty. Of the names that ``listed_names`` yields,
    the first that is in the catalogue is used.
    """
    listed = _find_any(model, provider)
    return None if listed is None else listed.rates(when_ns)


@lru_cache(maxsize=MODELS_KEPT)
def _find_any(model: str, provider: str) -> ListedModel | None:
    found = (_find(name, owner) for name, owner in listed_names(model, provider))
    return next((listed for listed in found if listed is not None), None)


def _find(model: str, provider: str) -> ListedModel | None:
    try:
        _, info = _snapshot().find_provider_model(model, None, provider or None, None)
    except LookupError:
        return None
    return ListedModel(info)


@cache
def _snapshot() -> DataSnapshot:
    """Return the catalogue; loaded on first use, because it takes 0.1 s and 28 MB."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415  # see above

    return get_snapshot()


def read_rates(price: ModelPrice) -> Rates:
    """Convert a model's prices per token and per call; ignore prices per second or page."""
    return Rates(
        _rate(price.input_mtok),
        _rate(price.output_mtok),
        _rate(price.output_reasoning_mtok),
        _rate(price.cache_read_mtok),
        _rate(price.cache_write_mtok),
        per_call=_per_call(price.requests_kcount),
    )


def _rate(price: Decimal | TieredPrices | None) -> Rate | None:
    if price is None or isinstance(price, Decimal):
        return None if price is None else Rate(price)
    return Rate(price.base, tuple(Tier(tier.start, tier.price) for tier in price.tiers))


def _per_call(thousand: Decimal | TieredPrices | None) -> Decimal:
    return thousand / 1000 if isinstance(thousand, Decimal) else Decimal(0)
