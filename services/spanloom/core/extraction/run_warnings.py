"""The warnings of a run: clocks that disagree, tokens outside of model calls, unread attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_logs import BRIDGED
from spanloom.core.conventions.usage import NAMED, read_counts
from spanloom.core.conventions.usage_repair import ABOVE_TOTAL, DOUBTFUL
from spanloom.core.extraction.metrics import sum_usage
from spanloom.core.extraction.unread import warn_of_unread
from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import NormalizedSpan
    from spanloom.core.model.step import Step
    from spanloom.core.model.tree import SpanTree

CLOCK_GRAIN_NS = 2_000_000
"""Minimum clock skew that causes a warning; some SDKs record times in whole milliseconds."""
_CLOCK_WARNINGS = (
    "{n} spans end before they start: their duration counts as zero",
    "{n} spans start before their parent: the clocks of two machines may differ",
    "{n} spans have no start: their times count from 1970, and lists show the run at the end",
)


def list_warnings(
    tree: SpanTree, spans: Sequence[NormalizedSpan], by_type: Mapping[StepType, Sequence[Step]]
) -> Sequence[str]:
    """Return the warnings about the spans that were sent and the steps made from them."""
    return [
        *tree.warnings,
        *_clock_warnings(tree),
        *_token_warnings(tree, by_type),
        *warn_of_unread(spans),
    ]


def _clock_warnings(tree: SpanTree) -> Sequence[str]:
    """Return warnings about clocks that disagree; times are shown as sent."""
    backwards = skewed = unset = 0
    for span in tree.spans:
        if not span.start_ns:
            unset += 1
            continue
        if span.end_ns < span.start_ns:
            backwards += 1
        parent = tree.parent(span)
        if parent is not None and span.start_ns < parent.start_ns - CLOCK_GRAIN_NS:
            skewed += BRIDGED not in span.attributes  # log records may precede the prompt
    counts = (backwards, skewed, unset)
    return [text.format(n=n) for text, n in zip(_CLOCK_WARNINGS, counts, strict=True) if n]


def _token_warnings(tree: SpanTree, by_type: Mapping[StepType, Sequence[Step]]) -> Sequence[str]:
    """Return a warning if counts contradict their total, or if no model call has any counts.

    The second warning is given only if other spans report tokens.

    An agent whose calls have no spans reports the sum of their tokens, and Google's ADK reports
    the tokens of its last call. Neither is the usage of a call in the trace, so nothing is counted.
    """
    models = by_type[StepType.MODEL]
    if any(sum_usage(models)):
        doubtful = sum(DOUBTFUL in step.metadata for step in models)
        return [f"tokens of {doubtful} calls do not add up: {ABOVE_TOTAL}"] if doubtful else []
    reporting = sum(_reports_tokens(span.attributes) for span in tree.spans)
    if not reporting:
        return []
    return [f"{reporting} spans tell tokens, but no model call does: none are counted"]


def _reports_tokens(attributes: Mapping[str, str]) -> bool:
    return any(read_counts(attributes, NAMED)[:2])
