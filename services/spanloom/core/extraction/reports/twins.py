"""One run that several instrumentations of a framework report, each in spans of its own.

LangChain calls every instrumentation when a run begins, one after the other, and again when it
ends. So of one call OpenInference tells 12.1 to 52.4 ms and Traceloop 12.7 to 53.6 ms: neither is
inside the other, often they do not even have the same parent, and what they say is the same.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.extraction.reports.pairing import MAX_OPEN, count_the_same, has_usage
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.model.normalized import NormalizedSpan
    from spanloom.core.model.tree import SpanTree

SLACK_NS = 20_000_000
SLACK_SHARE = 0.05
"""How far apart two reports of one run begin, and end: so long, or so much of the run. What one
instrumentation does when it is called, the next one waits for."""
MAX_TELLERS = 8
"""Nobody installs more instrumentations."""
MAX_PAIRS = 8
"""Of so many earlier runs a span may be another report: a trace of equal spans has no end."""
_MODEL, _TOOL = Kind.MODEL, Kind.TOOL


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
        pairs = (_pair(other, n) for other in open_runs if _may_be_one(other, n))
        yield from nsmallest(MAX_PAIRS, pairs)
        open_runs.append(n)


def _latest_start(n: NormalizedSpan) -> int:
    """Return when another report of this run has begun at the latest."""
    return max(n.span.start_ns, n.span.end_ns) + _slack_ns(n)


def slack_ns(start_ns: int, end_ns: int) -> int:
    """Return how far apart two reports may be of what ran from and to then, in nanoseconds."""
    return max(SLACK_NS, int((end_ns - start_ns) * SLACK_SHARE))


def _slack_ns(n: NormalizedSpan) -> int:
    return slack_ns(n.span.start_ns, n.span.end_ns)


def is_told_beside(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether two instrumentations tell of two spans that began and ended together."""
    if ours.span.scope_name == theirs.span.scope_name:
        return False
    apart_ns = (
        abs(theirs.span.start_ns - ours.span.start_ns),
        abs(theirs.span.end_ns - ours.span.end_ns),
    )
    return max(apart_ns) <= max(_slack_ns(ours), _slack_ns(theirs))


def _may_be_one(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    if ours.span.scope_name == theirs.span.scope_name:
        return False
    if ours.kind is _MODEL:
        is_near = _is_near(ours, theirs) or _name_one_response(ours, theirs)
        return is_near and _may_be_one_call(ours, theirs)
    name, other = _name(ours), _name(theirs)
    if is_told_beside(ours, theirs):
        return not name or not other or name == other
    return bool(name) and name == other and _is_delayed(ours, theirs)


def _is_near(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether two calls began or ended together: what they say must tie them."""
    slack_ns = max(_slack_ns(ours), _slack_ns(theirs))
    first, second = ours.span, theirs.span
    apart_ns = min(abs(second.start_ns - first.start_ns), abs(second.end_ns - first.end_ns))
    return apart_ns <= slack_ns


def _is_delayed(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether one end is told together, and the other late: a teller had to load first.

    Runs that only began together may be side by side, so they must share nearly all their time.
    """
    slack_ns = max(_slack_ns(ours), _slack_ns(theirs))
    if abs(theirs.span.end_ns - ours.span.end_ns) <= slack_ns:
        return _overlap(ours, theirs)
    return abs(theirs.span.start_ns - ours.span.start_ns) <= slack_ns and _last_alike(ours, theirs)


def _name_one_response(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether both name the same response: a busy machine tells of it long after."""
    return ours.facts.response_id == theirs.facts.response_id != ""


def _may_be_one_call(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether nothing speaks against one call, and something that both say for it."""
    if bool(ours.error) != bool(theirs.error) or not _overlap(ours, theirs):
        return False
    mine, others = ours.facts, theirs.facts
    if mine.response_id and others.response_id:
        return mine.response_id == others.response_id
    if has_usage(ours) and has_usage(theirs):
        return count_the_same(mine.usage, others.usage)
    texts = ((mine.input, others.input), (mine.output, others.output))
    return ours.error is not None or any(a and a == b for a, b in texts)


def _overlap(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether both ran for most of the time of the shorter one."""
    return 2 * _shared_ns(ours, theirs) >= min(_lasted_ns(ours), _lasted_ns(theirs))


def _last_alike(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether both ran for nearly all the time of the longer one."""
    return 5 * _shared_ns(ours, theirs) >= 4 * max(_lasted_ns(ours), _lasted_ns(theirs))


def _shared_ns(ours: NormalizedSpan, theirs: NormalizedSpan) -> int:
    first, second = ours.span, theirs.span
    return min(first.end_ns, second.end_ns) - max(first.start_ns, second.start_ns)


def _lasted_ns(n: NormalizedSpan) -> int:
    return n.span.end_ns - n.span.start_ns


def _name(n: NormalizedSpan) -> str:
    return n.facts.tool_name if n.kind is _TOOL else n.facts.agent_name


def _pair(ours: NormalizedSpan, theirs: NormalizedSpan) -> Twins:
    apart_ns = abs(theirs.span.start_ns - ours.span.start_ns)
    apart_ns += abs(theirs.span.end_ns - ours.span.end_ns)
    texts = ((ours.facts.input, theirs.facts.input), (ours.facts.output, theirs.facts.output))
    is_told_otherwise = any(a and b and a != b for a, b in texts)
    return Twins(is_told_otherwise, apart_ns, ours.span.span_id, theirs.span.span_id)


def _in_order(n: NormalizedSpan) -> tuple[int, str]:
    return n.span.start_ns, n.span.span_id
