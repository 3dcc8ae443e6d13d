"""Dead letters: acknowledged requests that the store refuses permanently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter without its body."""

    seq: int
    """The sequence number under which it was accepted; identifies it in every command."""
    project: str
    accepted_at_ns: int
    span_count: int
    size: int
    """Bytes that count towards the spool's size limit."""
    signal: str
    reason: str
    """The store's error message."""
