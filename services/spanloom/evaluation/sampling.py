"""Samples the runs of an online rule by a hash, so that live and backfill judge the same runs.

The decision for a rule and a trace never changes; a higher rate only adds runs.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

_DOMAIN = b"spanloom.sample.v1"


@lru_cache(1_000)
def _begun(rule: str) -> hashlib._Hash:
    """Return the state of the hash after the prefix that all traces of a rule share."""
    return hashlib.sha256(b"\0".join((_DOMAIN, rule.encode(), b"")))


def share(rule: str, trace_id: str) -> float:
    """Return the hash of a rule and a trace as a number from 0 to below 1."""
    hashed = _begun(rule).copy()
    hashed.update(trace_id.encode())
    return int.from_bytes(hashed.digest()[:8]) / 2**64


def is_sampled(rule: str, trace_id: str, rate: float) -> bool:
    """Return whether a rule with this rate, 0 to 1, judges a trace; raises ``ValueError``."""
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate is between 0 and 1, not {rate}")
    return share(rule, trace_id) < rate
