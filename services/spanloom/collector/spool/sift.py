"""Bisects a refused batch to find the refused items: requests of a batch, spans of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
"""A request, or a span."""

MAX_FRUITLESS = 127
"""Refusals without any success after which bisecting stops for now: enough to split 64 requests
completely."""


def sift(
    batch: Sequence[Item],
    error: Exception,
    store: Callable[[Sequence[Item]], Exception | None],
    *,
    fruitless: int | None = None,
    most: int | None = None,
) -> list[tuple[Item, Exception]] | None:
    """Store the good items of a refused batch; return the refused items with their errors.

    ``store`` returns the error if it refuses items, ``None`` once they are stored. All parts of one
    size are tried before any is halved again, so that one bad item among 10,000 delays the others
    by some 14 small attempts at most.

    Returns ``None`` after ``fruitless`` refusals without any success: nothing is known of any
    single item then. After ``most`` refusals the remaining parts count as refused, each with all
    its items.
    """
    refused: list[tuple[Item, Exception]] = []
    parts = [(batch, error)]
    refusals = 0
    any_passed = False
    while parts:
        halves: list[tuple[Sequence[Item], Exception]] = []
        for part, why in parts:
            if len(part) == 1 or (most is not None and refusals >= most):
                refused += ((item, why) for item in part)
                continue
            for half in (part[: len(part) // 2], part[len(part) // 2 :]):
                reason = store(half)
                if reason is not None:
                    halves.append((half, reason))
                    refusals += 1
                any_passed = any_passed or reason is None
            if fruitless is not None and refusals >= fruitless and not any_passed:
                return None
        parts = halves
    return refused
