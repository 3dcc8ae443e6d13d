"""Success in several tries: pass@k (M. Chen et al. 2021) and pass^k (S. Yao et al. 2024)."""

from __future__ import annotations

import math


def pass_at(n: int, c: int, k: int) -> float:
    """Return the chance that at least one of ``k`` tries succeeds, if ``c`` of ``n`` tries did.

    Raises ``ValueError`` unless 1 ≤ k ≤ n and 0 ≤ c ≤ n.
    """
    _check(n, c, k)
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat(n: int, c: int, k: int) -> float:
    """Return the chance that all of ``k`` tries succeed, if ``c`` of ``n`` tries did.

    Raises ``ValueError`` unless 1 ≤ k ≤ n and 0 ≤ c ≤ n.
    """
    _check(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def _check(n: int, c: int, k: int) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"of {n} tries 1 to {n} can be chosen, not {k}")
    if not 0 <= c <= n:
        raise ValueError(f"of {n} tries 0 to {n} can be right, not {c}")
