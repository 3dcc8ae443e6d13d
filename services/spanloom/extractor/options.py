"""What the operator decides about how traces are built."""

from __future__ import annotations

from typing import NamedTuple

from spanloom.core.pricing.book import LISTED, PriceBook

MAX_TRACE_SPANS = 1_000_000


class BuildOptions(NamedTuple):
    """How traces are built."""

    max_trace_spans: int = MAX_TRACE_SPANS
    """Of a trace with more, so many are read."""
    prices: PriceBook = LISTED
    """What model calls cost."""


BY_DEFAULT = BuildOptions()
