"""Spans in, trajectory out: composes dialects and extraction, without I/O."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.conventions.run_context import redaction_warnings
from spanloom.core.dialects.registry import normalize
from spanloom.core.extraction.build import build_trajectory, describe_failure
from spanloom.core.extraction.restore import restore_trajectory
from spanloom.core.model.tree import SpanTree
from spanloom.core.pricing import LISTED
from spanloom.core.values.bounds import legible, watch_unread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.pricing import PriceBook

EXTRACTOR_VERSION = "13"
"""Incremented whenever the same spans may yield a different trajectory."""
UNREAD = "{n} values hold too many items for their length to be read: they are shown as they came"
ILLEGIBLE = "{n} values are largely control characters: they are shown without them"


def extract(key: TraceKey, spans: Iterable[Span], prices: PriceBook = LISTED) -> Trajectory:
    """Return the trajectory of a trace's spans; their order does not matter."""
    read = [legible(span) for span in spans]
    tree = SpanTree(span for span, _ in read)
    with watch_unread() as unread:
        trajectory = restore_trajectory(key, tree, EXTRACTOR_VERSION) or build_trajectory(
            key, tree, normalize(tree), EXTRACTOR_VERSION, prices
        )
    warnings = redaction_warnings(tree.spans)
    if unread:
        warnings.append(UNREAD.format(n=len(unread)))
    if illegible := sum(count for _, count in read):
        warnings.append(ILLEGIBLE.format(n=illegible))
    if not warnings:
        return trajectory
    return replace(trajectory, warnings=[*trajectory.warnings, *warnings])


def extract_failure(key: TraceKey, spans: Iterable[Span], error: Exception) -> Trajectory:
    """Return a trajectory that describes the extraction error."""
    return describe_failure(key, SpanTree(spans), error, EXTRACTOR_VERSION)
