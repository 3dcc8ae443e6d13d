"""A seeded test of paired differences: their signs are flipped at random (R. A. Fisher 1935)."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from spanloom.evaluation.statistics.resampling import DRAWS, deal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.evaluation.statistics.drawing import Seed

_EXACT_UP_TO = 13
"""Maximum differences for which all flips are enumerated, which are fewer than ``DRAWS``."""
_BITS = 8
_NEARLY = 1 - 1e-9
"""Tolerance factor: a sum counts even if rounding makes it smaller than the observed sum."""


def sign_flip(differences: Sequence[float], seed: Seed) -> float:
    """Return the two-sided p-value of a sign-flip test; 1 if all differences are 0.

    Its null hypothesis is that the differences are symmetric around 0.

    It is exact for up to 13 differences other than 0, otherwise by 10,000 random flips. Raises
    ``ValueError`` for NaN and infinite differences.
    """
    values = [value for value in differences if value]
    observed = abs(math.fsum(values))
    if not math.isfinite(observed):
        raise ValueError("a test needs finite differences")
    if not values:
        return 1.0
    groups = list(deal(values, seed))
    tables = [_subset_sums(groups[at : at + _BITS]) for at in range(0, len(groups), _BITS)]
    total, bound = math.fsum(groups), observed * _NEARLY
    is_exact = len(values) <= _EXACT_UP_TO
    flips = range(1 << len(values)) if is_exact else _drawn(len(groups), seed)
    extreme = sum(abs(total - 2 * _chosen(flip, tables)) >= bound for flip in flips)
    return extreme / (1 << len(values)) if is_exact else (extreme + 1) / (DRAWS + 1)


def _drawn(bits: int, seed: Seed) -> Iterator[int]:
    random = Random(seed)  # noqa: S311  # not a secret: seeded, so that results repeat
    return (random.getrandbits(bits) for _ in range(DRAWS))


def _subset_sums(values: Sequence[float]) -> Sequence[float]:
    """Return the sum of each subset; bit ``n`` of an index chooses value ``n``."""
    sums = [0.0]
    for value in values:
        sums += [one + value for one in sums]
    return sums


def _chosen(flip: int, tables: Sequence[Sequence[float]]) -> float:
    picked = flip.to_bytes(len(tables), "little")
    return math.fsum(table[byte] for table, byte in zip(tables, picked, strict=True))
