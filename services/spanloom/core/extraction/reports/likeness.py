"""Whether the reports of two instrumentations may tell of one run: by time, names and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.reports.pairing import numbers_agree
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.model.normalized import NormalizedSpan

SLACK_NS = 20_000_000
SLACK_SHARE = 0.05
"""How far apart two reports of one run begin, and end: so long, or so much of the run. What one
instrumentation does when it is called, the next one waits for."""
_MODEL, _TOOL = Kind.MODEL, Kind.TOOL


def slack_ns(start_ns: int, end_ns: int) -> int:
    """Return how far apart two reports may be of what ran from and to then, in nanoseconds."""
    return max(SLACK_NS, int((end_ns - start_ns) * SLACK_SHARE))


def own_slack_ns(n: NormalizedSpan) -> int:
    """Return how far from this report of its run another one may be, in nanoseconds."""
    return slack_ns(n.span.start_ns, n.span.end_ns)


def is_told_beside(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether two instrumentations tell of two spans that began and ended together."""
    if ours.span.scope_name == theirs.span.scope_name:
        return False
    apart_ns = (
        abs(theirs.span.start_ns - ours.span.start_ns),
        abs(theirs.span.end_ns - ours.span.end_ns),
    )
    return max(apart_ns) <= max(own_slack_ns(ours), own_slack_ns(theirs))


def may_be_one(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether two reports of one kind may tell of one run; of one scope none do."""
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
    slack_ns = max(own_slack_ns(ours), own_slack_ns(theirs))
    first, second = ours.span, theirs.span
    apart_ns = min(abs(second.start_ns - first.start_ns), abs(second.end_ns - first.end_ns))
    return apart_ns <= slack_ns


def _is_delayed(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether one end is told together, and the other late: a teller had to load first.

    Runs that only began together may be side by side, so they must share nearly all their time.
    """
    slack_ns = max(own_slack_ns(ours), own_slack_ns(theirs))
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
    if (is_one := numbers_agree(ours, theirs)) is not None:
        return is_one
    mine, others = ours.facts, theirs.facts
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
