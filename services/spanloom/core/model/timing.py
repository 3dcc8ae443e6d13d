"""Decides by their times which span ran inside which."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

BLUR_NS = 1_000_000
"""Clock error of OpenTelemetry for JavaScript: it starts spans at whole milliseconds and measures
from there, so that an inner span may seem to end after its outer one."""


def encloses(outer: Span, inner: Span) -> bool:
    """Return whether ``inner`` ran within the time of ``outer``, which lasted longer."""
    within = outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns
    return within and (outer.start_ns, outer.end_ns) != (inner.start_ns, inner.end_ns)


def mostly_encloses(outer: Span, inner: Span) -> bool:
    """Return whether ``inner`` ran within the time of ``outer``, allowing for ``BLUR_NS``."""
    if encloses(outer, inner):
        return True
    started_within = outer.start_ns <= inner.start_ns
    middle = (inner.start_ns + inner.end_ns) // 2
    return started_within and inner.end_ns < outer.end_ns + BLUR_NS and middle < outer.end_ns
