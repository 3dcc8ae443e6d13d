"""Finds calls and whole runs that another trace reports again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from heapq import nsmallest
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.duplicates.keys import (
    is_alone,
    is_tool,
    make_call_key,
    make_tool_key,
    sought_key,
)
from spanloom.core.duplicates.matching import MAX_OPEN, slack_ns
from spanloom.core.duplicates.reports import MAX_PAIRS
from spanloom.core.duplicates.wording import digest_wording
from spanloom.core.model.span import TraceKey
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Kind, Trajectory
from spanloom.core.model.tree import BLUR_NS
from spanloom.core.ports.calls import Call, Extent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_START = attrgetter("start_ns")


def find_twins(other: Sequence[Call], own: Sequence[Call]) -> Sequence[Call]:
    """Return the twins, in ``other``, of the calls in ``own``; empty if not every call has one.

    A framework calls its instrumentations in a fixed order: the twin from the same trace begins
    first in every pair, and likewise ends first. Two parallel runs are not so regular, so they
    have no twins.
    """
    twins: dict[str, Call] = {}
    taken: set[str] = set()
    for _, ours, theirs in sorted(_pairs(other, own)):
        if ours.step_id not in twins and theirs.step_id not in taken:
            twins[ours.step_id] = theirs
            taken.add(theirs.step_id)
    if len(twins) < len(own):
        return ()
    pairs = [(call, twins[call.step_id]) for call in own]
    return [theirs for _, theirs in pairs] if _are_regular(pairs) else ()


def _are_regular(pairs: Sequence[tuple[Call, Call]]) -> bool:
    """Return whether one trace is always first, and the other follows soon for most calls.

    The other trace may be late for a few calls, when it loads modules or writes a traceback. It may
    also be late for streams, of which each trace may report a different part; these pairs count
    if their answers are equal.
    """
    starts = [ours.start_ns - theirs.start_ns for ours, theirs in pairs]
    ends = [ours.end_ns - theirs.end_ns for ours, theirs in pairs]
    in_time = sum(are_twins(o, t) or o.answers_as(t) for o, t in pairs)
    return 2 * in_time >= len(pairs) and _have_one_sign(starts) and _have_one_sign(ends)


def _have_one_sign(apart_ns: Sequence[int]) -> bool:
    """Return whether at most a quarter of the differences has the rarer sign, beyond BLUR_NS."""
    before, after = (sum(sign * n >= BLUR_NS for n in apart_ns) for sign in (-1, 1))
    return 4 * min(before, after) <= len(apart_ns)


def _pairs(other: Sequence[Call], own: Sequence[Call]) -> Iterator[tuple[int, Call, Call]]:
    """Yield (distance in ns, own call, other call) for possible twins; the nearest are the twins.

    Equal parallel calls may end in a different order than they begin.
    """
    alike: defaultdict[str, list[Call]] = defaultdict(list)
    for call in other:
        alike[call.call_key].append(call)
    for ours in own:
        near = _nearest(alike[sought_key(ours.call_key)], ours)
        pairs = ((sum(_ends_apart_ns(ours, o)), ours, o) for o in near if _may_be_twins(o, ours))
        yield from nsmallest(MAX_PAIRS, pairs)


def _nearest(calls: Sequence[Call], call: Call) -> Sequence[Call]:
    """Return the calls that began closest before and after ``call``; ``calls`` are in order."""
    middle = bisect_left(calls, call.start_ns, key=_START)
    return calls[max(middle - MAX_OPEN, 0) : middle + MAX_OPEN]


def started_near(calls: Sequence[Call], call: Call) -> Sequence[Call]:
    """Return the calls that began near enough to be twins of ``call``; ``calls`` are in order."""
    apart_ns = most_apart_ns(call)
    first = bisect_left(calls, call.start_ns - apart_ns, key=_START)
    return calls[first : bisect_right(calls, call.start_ns + apart_ns, key=_START)]


def overlap_alike(calls: Sequence[Call], call: Call) -> Iterator[Call]:
    """Yield the nearest calls that overlap ``call`` with the same answer; ``calls`` are in order.

    An instrumentation may report a stream only from its first chunk on.
    """
    for other in _nearest(calls, call):
        is_within = other.start_ns <= call.end_ns and other.end_ns >= call.start_ns
        if is_within and other.answers_as(call):
            yield other


def most_apart_ns(call: Call) -> int:
    """Return how far from the call another report of it may start, in ns.

    The slack depends on the longer of the two reports, and neither is much longer than the other.
    """
    return slack_ns(call.start_ns, call.end_ns) * 5 // 4


def are_twins(ours: Call, theirs: Call) -> bool:
    """Return whether two calls of different dialects began and ended together."""
    return _differ_in_dialect(ours, theirs) and max(_ends_apart_ns(ours, theirs)) <= _slack_ns(
        ours, theirs
    )


def _may_be_twins(ours: Call, theirs: Call) -> bool:
    """Return whether the calls began and ended together, or overlap for half of the shorter one.

    Calls whose texts contradict each other never match.
    """
    if ours.contradicts(theirs):
        return False
    if are_twins(ours, theirs):
        return True
    shared_ns = min(ours.end_ns, theirs.end_ns) - max(ours.start_ns, theirs.start_ns)
    shorter_ns = min(ours.end_ns - ours.start_ns, theirs.end_ns - theirs.start_ns)
    return 2 * shared_ns >= shorter_ns and _differ_in_dialect(ours, theirs)


def _differ_in_dialect(ours: Call, theirs: Call) -> bool:
    """Return whether two different instrumentations report the calls."""
    return "" not in (ours.dialect, theirs.dialect) and ours.dialect != theirs.dialect


def _ends_apart_ns(ours: Call, theirs: Call) -> tuple[int, int]:
    return abs(ours.start_ns - theirs.start_ns), abs(ours.end_ns - theirs.end_ns)


def _slack_ns(ours: Call, theirs: Call) -> int:
    return max(slack_ns(ours.start_ns, ours.end_ns), slack_ns(theirs.start_ns, theirs.end_ns))


# Cached: before Python 3.12, enum members are looked up in Python code.
_MODEL, _TOOL = StepType.MODEL, StepType.TOOL


def list_calls(trajectory: Trajectory) -> Sequence[Call]:
    """Return the model calls and tool runs, with the keys by which other reports are found."""
    steps = [s for agent in trajectory.agent_steps for s in agent.steps]
    calls = [s for s in steps if s.type is _MODEL]
    tools = [s for s in steps if s.type is _TOOL]
    is_bare = len(calls) == len(steps) == 1 and _is_nothing_around(trajectory)
    extent = Extent(len(calls), len(tools), sum(s.richness for s in (*calls, *tools)))
    key = TraceKey(trajectory.project, trajectory.trace_id)
    keys = [
        *((s, make_call_key(s)) for s in calls),
        *((s, make_tool_key(s, is_alone=not calls)) for s in tools),
    ]
    return [
        Call(
            *(key, s.id, call_key, s.start_ns, s.end_ns, is_bare, s.dialect, extent),
            *(digest_wording(s.input, s.output) if s.type is _MODEL else ()),
        )
        for s, call_key in keys
        if call_key
    ]


def _is_nothing_around(trajectory: Trajectory) -> bool:
    """Return whether the only call of a trace is its root, or the spans above were not sent."""
    if trajectory.has_root or trajectory.root_type is Kind.MODEL:
        return trajectory.root_type is Kind.MODEL
    return trajectory.root.id not in {verdict.span_id for verdict in trajectory.verdicts}


def find_original(call: Call, others: Iterable[Call]) -> Call | None:
    """Return the call of another trace that ``call`` repeats; ``None`` if there is none.

    Only a bare call, which is the only step of its trace, can repeat another. The original has the
    same content and encloses the call in time, or both began and ended together and the original is
    in a run that another instrumentation reports. Calls in a run are preferred to bare calls, then
    shorter calls to longer calls.
    """
    if not call.is_bare:
        return None
    originals = [
        o
        for o in others
        if (_encloses(o, call) or _is_twin_in_run(o, call)) and _comes_before(o, call)
    ]
    return min(
        originals, key=lambda o: (o.is_bare, o.end_ns - o.start_ns, o.key, o.step_id), default=None
    )


def _encloses(outer: Call, inner: Call) -> bool:
    is_within = outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns
    return is_within and _have_same_content(outer, inner)


def _is_twin_in_run(run: Call, call: Call) -> bool:
    return not run.is_bare and _have_same_content(run, call) and are_twins(run, call)


def _have_same_content(ours: Call, theirs: Call) -> bool:
    return (
        ours.call_key == theirs.call_key
        and ours.key.project == theirs.key.project
        and ours.key.trace_id != theirs.key.trace_id
        and not ours.contradicts(theirs)
    )


def _comes_before(outer: Call, inner: Call) -> bool:
    """Return whether ``outer`` is the original of the two; never true in both directions."""
    if not outer.is_bare:
        return True
    if "" in (outer.dialect, inner.dialect) or outer.dialect == inner.dialect:
        return False
    is_longer = outer.end_ns - outer.start_ns > inner.end_ns - inner.start_ns
    return is_longer or outer.key < inner.key


def group_by_trace(calls: Iterable[Call]) -> Mapping[TraceKey, Sequence[Call]]:
    """Return the calls of each trace in order."""
    by_trace: defaultdict[TraceKey, list[Call]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: (call.start_ns, call.step_id)):
        by_trace[call.key].append(call)
    return by_trace


def identifying_calls(calls: Iterable[Call]) -> Sequence[Call]:
    """Return the calls, in order, by which a trace is compared with other reports of its run.

    These are all model calls, or the tool runs of a trace without model calls. Return nothing for a
    bare call (a trace of its own), or if not all calls of the trace are known.
    """
    models = [call for call in calls if not is_tool(call.call_key)]
    own = models or [call for call in calls if is_alone(call.call_key)]
    if not own or own[0].is_bare:
        return ()
    extent = own[0].extent
    return own if len(own) >= (extent.model_steps or extent.tool_steps) else ()


def find_original_run(own: Sequence[Call], others: Iterable[Sequence[Call]]) -> Call | None:
    """Return the call of another trace that the first call of ``own`` repeats, or ``None``.

    ``own`` are the identifying calls of a trace, ``others`` the identifying calls of each other
    trace that may report the same run, all in order.
    """
    alike = (find_twins(other, own) for other in others if _may_be_original(other[0], own[0]))
    originals = [twins for twins in alike if twins and _place(twins) < _place(own)]
    return min(originals, key=_place)[0] if originals else None


def _may_be_original(theirs: Call, ours: Call) -> bool:
    """Return whether ``theirs`` is in another trace of the project that has more than one call."""
    is_other = theirs.key.trace_id != ours.key.trace_id
    return is_other and theirs.key.project == ours.key.project and not theirs.is_bare


def _place(calls: Sequence[Call]) -> tuple[bool, int, int, int, int, TraceKey]:
    """Return a trace's sort key among the traces that report one run; the first is the original."""
    first, extent = calls[0], calls[0].extent
    return (
        is_alone(first.call_key),
        -extent.model_steps,
        -extent.tool_steps,
        -extent.richness,
        sum(call.start_ns for call in calls),
        first.key,
    )
