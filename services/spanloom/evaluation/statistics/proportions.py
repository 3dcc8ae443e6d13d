"""Intervals and exact tests of proportions.

Sources: E. B. Wilson (1927), score interval; R. G. Newcombe (1998), method 10, difference of two
independent proportions; Q. McNemar (1947), exact by the binomial; R. A. Fisher (1934).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for 95 % intervals."""
_NEARLY = 1 + 1e-7
"""Tolerance factor: a table counts even if rounding makes it likelier than the observed one."""


def wilson(k: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of the share ``k`` of ``n``, 0 to 1; (0, 1) if ``n`` is 0.

    ``k`` is a sum of shares if items have repeats.

    Raises ``ValueError`` unless 0 ≤ k ≤ n.
    """
    _check_share(k, n)
    if not n:
        return 0.0, 1.0
    share, square = k / n, Z * Z / n
    middle = (share + square / 2) / (1 + square)
    half = Z * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return (0.0 if k == 0 else middle - half), (1.0 if k == n else middle + half)


def newcombe(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float]:
    """Return the 95 % interval of the second share minus the first; each is (k, n).

    (-1, 1) if either has no trials. Raises ``ValueError`` unless 0 ≤ k ≤ n.
    """
    (k_first, n_first), (k_second, n_second) = first, second
    low_first, high_first = wilson(k_first, n_first)
    low_second, high_second = wilson(k_second, n_second)
    if not n_first or not n_second:
        return -1.0, 1.0
    a, b = k_first / n_first, k_second / n_second
    below = math.hypot(b - low_second, high_first - a)
    above = math.hypot(high_second - b, a - low_first)
    return b - a - below, b - a + above


def mcnemar(b: int, c: int) -> float:
    """Return the exact two-sided p-value of ``b`` and ``c`` discordant pairs; 1 if there are none.

    Raises ``ValueError`` for negative counts.
    """
    if b < 0 or c < 0:
        raise ValueError(f"counts of pairs are not negative: {b}, {c}")
    n, fewer = b + c, min(b, c)
    if b == c:
        return 1.0
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, tail / (1 << (n - 1)))


def fisher(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Return Fisher's exact two-sided p-value that two shares, each (k, n), are the same.

    It sums the tables that are at most as likely as the observed one. Raises ``ValueError`` unless
    0 ≤ k ≤ n.
    """
    (k, n), (other_k, other_n) = first, second
    _check_share(k, n)
    _check_share(other_k, other_n)
    successes = k + other_k
    lowest, highest = max(0, successes - other_n), min(n, successes)
    if lowest == highest:
        return 1.0
    observed = _likelihood(k, n, successes, n + other_n)
    bound = observed + math.log(_NEARLY)
    tails = (
        *_tail(range(lowest, highest + 1), bound, n, successes, n + other_n),
        *_tail(range(highest, lowest - 1, -1), bound, n, successes, n + other_n),
    )
    return min(1.0, math.fsum(tails))


def _tail(
    counts: Sequence[int], bound: float, n: int, successes: int, total: int
) -> Iterator[float]:
    """Yield the probabilities of one tail, beginning at its end, until one is above the bound."""
    # A tail ends at the mode, so that each table is in only one tail.
    mode = (n + 1) * (successes + 1) // (total + 2)
    is_rising = counts[0] <= counts[-1]
    for count in counts:
        if (count > mode) if is_rising else (count <= mode):
            return
        likelihood = _likelihood(count, n, successes, total)
        if likelihood > bound:
            return
        yield math.exp(likelihood)


def _likelihood(count: int, n: int, successes: int, total: int) -> float:
    """Return the logarithm of a hypergeometric probability."""
    failures = total - successes
    return _choose(successes, count) + _choose(failures, n - count) - _choose(total, n)


def _choose(n: int, k: int) -> float:
    return _factorial(n) - _factorial(k) - _factorial(n - k)


@lru_cache(maxsize=1 << 17)
def _factorial(n: int) -> float:
    return math.lgamma(n + 1)


def _check_share(k: float, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"a share is 0 ≤ k ≤ n, not {k} of {n}")
