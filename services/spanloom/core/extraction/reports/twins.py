"""One run that several instrumentations of a framework report, each in spans of its own.

LangChain calls every instrumentation when a run begins, one after the other, and again when it
ends. So of one call OpenInference tells 12.1 to 52.4 ms and Traceloop 12.7 to 53.6 ms: neither is
inside the other, often they do not even have the same parent, and what they say is the same.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.extraction.reports.likeness import may_be_one, own_slack_ns
from spanloom.core.extraction.reports.pairing import MAX_OPEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.model.normalized import NormalizedSpan
    from spanloom.core.model.trajectory import Kind
    from spanloom.core.model.tree import SpanTree

MAX_TELLERS = 8
"""Nobody installs more instrumentations."""
MAX_PAIRS = 8
"""Of so many earlier runs a span may be another report: a trace of equal spans has no end."""


class Twins(NamedTuple):
    """Two spans that may report one run; the smaller of two pairs is the likelier."""

    is_told_otherwise: bool
    apart_ns: int
    first: str
    second: str


def pair_twins(tree: SpanTree, steps: Sequence[NormalizedSpan]) -> dict[str, str]:
    """Return each further report of a run with the first, by span id.

    No instrumentation reports a run twice, so of one scope each run has one span at most. The
    first is the one highest in the tree: no step may stand below a span that is merged into it.
    """
    groups: dict[str, dict[str, NormalizedSpan]] = {
        n.span.span_id: {n.span.scope_name: n} for n in steps
    }
    for pair in sorted(_candidates(steps)):
        ours, theirs = groups[pair.first], groups[pair.second]
        if ours is theirs or len(ours) + len(theirs) > MAX_TELLERS:
            continue
        if ours.keys().isdisjoint(theirs.keys()):
            ours |= theirs
            groups |= dict.fromkeys((n.span.span_id for n in theirs.values()), ours)
    place = {span.span_id: number for number, span in enumerate(tree.top_down)}
    return {
        span_id: first
        for span_id, group in groups.items()
        if (first := min((n.span.span_id for n in group.values()), key=place.__getitem__))
        != span_id
    }


def _candidates(steps: Iterable[NormalizedSpan]) -> Iterator[Twins]:
    by_kind: defaultdict[Kind, list[NormalizedSpan]] = defaultdict(list)
    for n in sorted(steps, key=_in_order):
        open_runs = by_kind[n.kind]
        open_runs[:] = [o for o in open_runs[-MAX_OPEN:] if n.span.start_ns <= _latest_start(o)]
        pairs = (_pair(other, n) for other in open_runs if may_be_one(other, n))
        yield from nsmallest(MAX_PAIRS, pairs)
        open_runs.append(n)


def _latest_start(n: NormalizedSpan) -> int:
    """Return when another report of this run has begun at the latest."""
    return max(n.span.start_ns, n.span.end_ns) + own_slack_ns(n)


def _pair(ours: NormalizedSpan, theirs: NormalizedSpan) -> Twins:
    apart_ns = abs(theirs.span.start_ns - ours.span.start_ns)
    apart_ns += abs(theirs.span.end_ns - ours.span.end_ns)
    texts = ((ours.facts.input, theirs.facts.input), (ours.facts.output, theirs.facts.output))
    is_told_otherwise = any(a and b and a != b for a, b in texts)
    return Twins(is_told_otherwise, apart_ns, ours.span.span_id, theirs.span.span_id)


def _in_order(n: NormalizedSpan) -> tuple[int, str]:
    return n.span.start_ns, n.span.span_id
