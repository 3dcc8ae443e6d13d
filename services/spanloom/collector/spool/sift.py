"""Finds the requests of a refused batch that are refused alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.ports.spans import SpooledRequest

    Try = Callable[[Sequence[SpooledRequest]], Exception | None]
    """Stores requests; returns why they are refused, nothing if they were stored."""
    Refused = tuple[SpooledRequest, Exception]

MAX_FRUITLESS = 127
"""Parts of a batch that may be refused one after the other before it is left for the time being:
enough to split 64 requests completely."""


def sift(
    batch: Sequence[SpooledRequest], error: Exception, store: Try, limit: int | None
) -> list[Refused]:
    """Store what can be stored of a refused batch; return what is refused alone, and why.

    All parts of one size are tried before any is halved again, so that one bad request among
    10,000 keeps the others waiting for some 14 small tries at most. With a ``limit``, as many
    refusals without any success end it: then nothing is known of any single request.
    """
    refused: list[Refused] = []
    parts = [(batch, error)]
    fruitless = 0
    any_passed = False
    while parts:
        halves: list[tuple[Sequence[SpooledRequest], Exception]] = []
        for part, why in parts:
            if len(part) == 1:
                refused.append((part[0], why))
                continue
            for half in (part[: len(part) // 2], part[len(part) // 2 :]):
                reason = store(half)
                if reason is not None:
                    halves.append((half, reason))
                    fruitless += 1
                any_passed = any_passed or reason is None
            if limit is not None and fruitless >= limit and not any_passed:
                return []
        parts = halves
    return refused
