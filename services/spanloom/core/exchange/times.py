"""Fills in missing times of items that a source lists in order."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def filled(times: Sequence[int | None], start_ms: int = 0) -> Sequence[int]:
    """Return a time for each item, in milliseconds since the epoch.

    An item without a time gets the time of the preceding item; items before the first known time
    get the first known time; no time is earlier than the preceding time. If no time is known, every
    item gets ``start_ms``.
    """
    first = next((time for time in times if time is not None), start_ms)
    return list(accumulate((first if time is None else time for time in times), max))
