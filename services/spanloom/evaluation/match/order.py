"""The order of calls: how much of a reference is found in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def longest_common(masks: Iterable[int], length: int) -> int:
    """Return the length of the longest common subsequence of calls and a reference.

    ``masks`` are the positions of the reference that each call matches, ``length`` is that of the
    reference. A row of the usual table is one integer, whose zero bits are where it grows.
    """
    whole = (1 << length) - 1
    row = whole
    for mask in masks:
        if grown := row & mask:
            row = ((row + grown) | (row - grown)) & whole
    return length - row.bit_count()


def common_prefix(masks: Sequence[int]) -> int:
    """Return how many calls match the call at the same position of the reference."""
    for at, mask in enumerate(masks):
        if not mask >> at & 1:
            return at
    return len(masks)


def found_in_order(masks: Iterable[int], length: int) -> int:
    """Return how many calls of the reference, from its first, the calls have in this order."""
    at = 0
    for mask in masks:
        if at < length and mask >> at & 1:
            at += 1
    return at
