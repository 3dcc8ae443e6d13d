"""The prices of one service: its operator's own prices take precedence over list prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.pricing.catalogue import catalogue_version, list_price

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.pricing.rates import Rates

OWN = "own"


class OwnPrice(NamedTuple):
    """A price that the operator has configured."""

    model: str
    """The model name as reported by telemetry; with a trailing ``*``, a prefix of it."""
    rates: Rates
    provider: str = ""
    """Applies to this provider only; empty: to all."""
    from_ns: int = 0
    """Applies to calls that began at this time or later."""

    def is_for(self, model: str, provider: str, when_ns: int) -> bool:
        """Return whether the price applies to a call of this model at this time."""
        if when_ns < self.from_ns or self.provider not in ("", provider):
            return False
        if self.model.endswith("*"):
            return model.startswith(self.model[:-1])
        return model == self.model


class Price(NamedTuple):
    """The rates of a call, and their source."""

    rates: Rates
    source: str
    """``own`` for the operator's price, else the catalogue's name and version."""


class PriceBook:
    """Prices of models, by name, provider and time."""

    def __init__(self, own: Sequence[OwnPrice] = ()) -> None:
        """Set the operator's own prices; if several apply to a call, the last one counts."""
        self._own = tuple(reversed(own))

    def price(self, model: str, provider: str, when_ns: int) -> Price | None:
        """Return the price of a call that began at ``when_ns``; ``None`` if it is unknown."""
        for own in self._own:
            if own.is_for(model, provider, when_ns):
                return Price(own.rates, OWN)
        listed = list_price(model, provider, when_ns) if model else None
        return None if listed is None else Price(listed, catalogue_version())


LISTED = PriceBook()
"""A price book of list prices only."""
