"""Computes how far a sender's clock is ahead, and the start by which lists order its runs."""

AHEAD_NS = 60 * 10**9
"""Maximum difference of two machines' clocks that counts as correct."""
_FIRST_SET_US = 10**15
"""Minimum plausible sequence, in 2001; a lower one is from a service whose clock is not set."""


def ahead_ns(start_ns: int, seq: int) -> int:
    """Return how far after its arrival a run began, in ns, because the sender's clock is ahead.

    ``seq`` is a row version, the time of acceptance in microseconds. Return 0 if the clocks agree.
    """
    ahead = start_ns - seq * 1_000
    return ahead if ahead > AHEAD_NS and seq > _FIRST_SET_US else 0


def listed_start_ns(start_ns: int, seq: int) -> int:
    """Return the start by which lists order a run, in ns: never later than its arrival."""
    return start_ns - ahead_ns(start_ns, seq)
