"""Which runs an online rule judges: by a hash, so that live and backfill agree.

The same rule and trace give the same answer at any time; a higher rate only adds runs.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

_DOMAIN = b"spanloom.sample.v1"


@lru_cache(1_000)
def _begun(rule: str) -> hashlib._Hash:
    """Return the hash of what the traces of a rule have in common."""
    return hashlib.sha256(b"\0".join((_DOMAIN, rule.encode(), b"")))


def share(rule: str, trace_id: str) -> float:
    """Return the place of a trace among all traces for a rule, from 0 to below 1."""
    hashed = _begun(rule).copy()
    hashed.update(trace_id.encode())
    return int.from_bytes(hashed.digest()[:8]) / 2**64


def is_sampled(rule: str, trace_id: str, rate: float) -> bool:
    """Return whether a rule with this rate, 0 to 1, judges a trace; raises ``ValueError``."""
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate is between 0 and 1, not {rate}")
    return share(rule, trace_id) < rate
