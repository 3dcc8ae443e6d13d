"""List prices from genai-prices: some thirty providers, with the dates of price changes.

Each provider in its data names the page that its prices were read from (``pricing_urls``). Loading
takes a tenth of a second and 28 MB, and is deferred to the first call that is priced.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from spanloom.core.pricing.rates import Rate, Rates, Tier

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

MODELS_KEPT = 4096
"""How many model names have their lookup cached."""
_NS = 10**9


class ListedModel:
    """A model in the catalogue; each of its prices is converted once."""

    def __init__(self, info: ModelInfo) -> None:
        """Wrap the catalogue's entry."""
        self._info = info
        self._rates: dict[int, Rates] = {}

    def rates(self, when: datetime) -> Rates:
        """Return the prices that were valid at this time."""
        price = self._info.get_prices(when)
        known = self._rates.get(id(price))  # it stays as long as the model does
        if known is None:
            known = self._rates[id(price)] = read_rates(price)
        return known


@cache
def catalogue_version() -> str:
    """Return name and version of the catalogue: ``genai-prices 0.2.3``."""
    return f"genai-prices {version('genai-prices')}"


def list_price(model: str, provider: str, when_ns: int) -> Rates | None:
    """Return the list price of a model at a time; ``None`` if it is not listed.

    ``provider`` is the name in the telemetry, or empty. If the model is not listed for it, the
    model's name alone decides: a gateway resells the models of others.
    """
    listed = _find(model, provider) or (_find(model, "") if provider else None)
    if listed is None:
        return None
    return listed.rates(datetime.fromtimestamp(when_ns // _NS, UTC))


@lru_cache(maxsize=MODELS_KEPT)
def _find(model: str, provider: str) -> ListedModel | None:
    try:
        _, info = _snapshot().find_provider_model(model, None, provider or None, None)
    except LookupError:
        return None
    return ListedModel(info)


@cache
def _snapshot() -> DataSnapshot:
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415  # see above

    return get_snapshot()


def read_rates(price: ModelPrice) -> Rates:
    """Return a model's prices per token and per call; prices per second or page are ignored."""
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
