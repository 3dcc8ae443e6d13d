"""A request that was acknowledged and that the store refuses, as it is listed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter without its body."""

    seq: int
    """The sequence number it was accepted under; names it in every command."""
    project: str
    accepted_at_ns: int
    span_count: int
    size: int
    """Bytes it takes of the spool's bound."""
    signal: str
    reason: str
    """What the store said."""
