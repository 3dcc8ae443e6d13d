"""Formatting of numbers with units in findings."""

from __future__ import annotations

_STEPS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
_SPANS = (("d", 86_400), ("h", 3_600), ("min", 60))


def size(number: int) -> str:
    """Format a number of bytes in the largest unit that fits: ``1.5 GiB``."""
    for unit, step in _STEPS:
        if number >= step:
            return f"{number / step:.1f} {unit}"
    return f"{number} bytes"


def span(seconds: float) -> str:
    """Format a duration in the largest unit that fits: ``2.5 h``."""
    for unit, step in _SPANS:
        if seconds >= step:
            return f"{seconds / step:.1f} {unit}"
    return f"{seconds:.1f} s"


def count(number: int, noun: str) -> str:
    """Format a number with its noun: ``1 request``, ``2,000 requests``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
