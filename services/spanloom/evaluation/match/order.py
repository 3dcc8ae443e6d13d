"""Measures how many calls of a reference appear in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def longest_common(masks: Iterable[int], length: int) -> int:
    """Return the length of the longest common subsequence of calls and a reference.

    ``masks`` are the positions of the reference that each call matches, ``length`` is the length of
    the reference. Each row of the usual dynamic programming table is one integer, whose zero bits
    are the positions at which the length grows.
    """
    whole = (1 << length) - 1
    row = whole
    for mask in masks:
        if grown := row & mask:
            row = ((row + grown) | (row - grown)) & whole
    return length - row.bit_count()


def common_prefix(masks: Sequence[int]) -> int:
    """Return the number of leading calls that match the reference at the same position."""
    for at, mask in enumerate(masks):
        if not mask >> at & 1:
            return at
    return len(masks)


def matched_in_order(masks: Iterable[int], length: int) -> int:
    """Return the number of leading reference calls that appear in order among the calls."""
    at = 0
    for mask in masks:
        if at < length and mask >> at & 1:
            at += 1
    return at
