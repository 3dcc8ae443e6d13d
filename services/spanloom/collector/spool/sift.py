"""Finds what is refused alone: the requests of a refused batch, the spans of a refused request."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
"""A request, or a span."""

MAX_FRUITLESS = 127
"""Parts of a batch that may be refused one after the other before it is left for the time being:
enough to split 64 requests completely."""


def sift(
    batch: Sequence[Item],
    error: Exception,
    store: Callable[[Sequence[Item]], Exception | None],
    *,
    fruitless: int | None = None,
    most: int | None = None,
) -> list[tuple[Item, Exception]] | None:
    """Store what can be stored of a refused batch; return what is refused alone, and why.

    ``store`` returns why it refuses items, nothing if it has them. All parts of one size are tried
    before any is halved again, so that one bad item among 10,000 keeps the others waiting for
    some 14 small tries at most.

    With ``fruitless``, as many refusals without any success end it with ``None``: then nothing is
    known of any single item. With ``most``, after as many refusals the parts that are left count as
    refused, each with all its items.
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
