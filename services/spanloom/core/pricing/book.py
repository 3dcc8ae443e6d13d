"""The prices that hold for one service: those of its operator before those that are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.pricing.catalogue import catalogue_version, list_price

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.pricing.rates import Rates

OWN = "own"


class OwnPrice(NamedTuple):
    """A price that the operator has agreed, or knows."""

    model: str
    """The name of the model as telemetry has it; with ``*`` at its end, how the name begins."""
    rates: Rates
    provider: str = ""
    """Holds for this provider only, if it is named."""
    from_ns: int = 0
    """Holds for calls that began then, or later."""

    def is_for(self, model: str, provider: str, when_ns: int) -> bool:
        """Return whether it is the price of such a call."""
        if when_ns < self.from_ns or self.provider not in ("", provider):
            return False
        if self.model.endswith("*"):
            return model.startswith(self.model[:-1])
        return model == self.model


class Price(NamedTuple):
    """What a call costs, and who says so."""

    rates: Rates
    source: str
    """``own`` is the operator's; else the catalogue's name and version."""


class PriceBook:
    """Prices of models, asked by name, provider and time."""

    def __init__(self, own: Sequence[OwnPrice] = ()) -> None:
        """Take the operator's own prices; of several that fit a call the last one counts."""
        self._own = tuple(reversed(own))

    def price(self, model: str, provider: str, when_ns: int) -> Price | None:
        """Return what a call of a model costs that began at a time; ``None`` if that is unknown."""
        for own in self._own:
            if own.is_for(model, provider, when_ns):
                return Price(own.rates, OWN)
        listed = list_price(model, provider, when_ns) if model else None
        return None if listed is None else Price(listed, catalogue_version())


LISTED = PriceBook()
"""List prices alone."""
