"""Turns the spans of a trace into a trajectory, by dialects and extraction, without a store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.conventions.invariant import arrange_messages
from spanloom.core.conventions.run_context import redaction_warnings
from spanloom.core.dialects.coding_agents.arrange import arrange
from spanloom.core.dialects.registry import normalize
from spanloom.core.extraction.build import build_trajectory, describe_failure
from spanloom.core.extraction.prepare import prepare
from spanloom.core.extraction.restore import restore_trajectory
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import SpanTree
from spanloom.core.pricing import LISTED
from spanloom.core.values.bounds import watch_unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.span import NormalizedSpan, Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.pricing import PriceBook


EXTRACTOR_VERSION = "16"
"""Incremented whenever the same spans may yield a different trajectory."""
_CALLS = (Kind.MODEL, Kind.TOOL)
UNREAD = "{n} values hold too many items for their length to be read: they are shown as they came"


def extract(key: TraceKey, spans: Iterable[Span], prices: PriceBook = LISTED) -> Trajectory:
    """Build the trajectory of a trace from its spans; their order does not matter."""
    prepared = prepare(spans)
    arranged = arrange(arrange_messages(prepared.spans))
    tree = SpanTree(arranged)
    with watch_unread() as unread:
        trajectory = restore_trajectory(key, tree, EXTRACTOR_VERSION) or build_trajectory(
            key, *_read(tree, arranged), EXTRACTOR_VERSION, prices
        )
    if len(arranged) != len(prepared.spans):  # arrange may create spans, which do not count
        trajectory = replace(trajectory, span_count=len(prepared.spans))
    warnings = [*redaction_warnings(tree.spans), *prepared.warnings]
    if unread:
        warnings.append(UNREAD.format(n=len(unread)))
    if not warnings:
        return trajectory
    return replace(trajectory, warnings=[*trajectory.warnings, *warnings])


def _read(tree: SpanTree, spans: Sequence[Span]) -> tuple[SpanTree, Sequence[NormalizedSpan]]:
    """Return the span tree and the normalized spans.

    If the root is missing, the tree uses its top span as the root. That must not be a model or tool
    call, but the kind of a span is known only after normalization, which needs the tree. Therefore,
    if the root turns out to be a call, the tree is built again, with a created root above it.
    """
    read = normalize(tree)
    if tree.has_root or tree.stand_in is not None:
        return tree, read
    kind = next(one.kind for one in read if one.span.span_id == tree.root.span_id)
    if kind not in _CALLS:
        return tree, read
    whole = SpanTree(spans, is_top_no_root=True)
    return whole, normalize(whole)


def extract_failure(key: TraceKey, spans: Iterable[Span], error: Exception) -> Trajectory:
    """Return a trajectory that describes the extraction error."""
    return describe_failure(key, SpanTree(spans), error, EXTRACTOR_VERSION)
