"""Build options that the operator sets."""

from __future__ import annotations

from typing import NamedTuple

from spanloom.core.pricing import LISTED, PriceBook

MAX_TRACE_SPANS = 1_000_000


class BuildOptions(NamedTuple):
    """Options of building traces."""

    max_trace_spans: int = MAX_TRACE_SPANS
    """Maximum of spans read per trace; the rest of a larger trace is not shown."""
    prices: PriceBook = LISTED
    """Prices of model calls."""


BY_DEFAULT = BuildOptions()
