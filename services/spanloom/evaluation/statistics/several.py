"""Correction for several tests at once (S. Holm 1979)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the adjusted p-values, in the order given.

    Raises ``ValueError`` for a value that is not between 0 and 1.
    """
    if wrong := [p for p in p_values if math.isnan(p) or not 0 <= p <= 1]:
        raise ValueError(f"a p-value is between 0 and 1, not {wrong[0]}")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted
