"""A whole run reported again in another trace, by an instrumentation with a tracer of its own.

LangSmith beside OpenInference: each of a run's model calls is in both traces, half a millisecond
apart. The trace that has more of the calls is the run; of two that have the same ones, that which
has more of the tools, then that which tells more of them, then that which began first. A piece of a
run that was torn off, with nothing in it but tools, repeats the run that has all of those.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.extraction.reports.call_keys import is_alone, is_tool, sought_key
from spanloom.core.extraction.reports.likeness import slack_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import Call


def group_by_trace(calls: Iterable[Call]) -> Mapping[TraceKey, Sequence[Call]]:
    """Return the calls of each trace in order."""
    found: defaultdict[TraceKey, list[Call]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: (call.start_ns, call.step_id)):
        found[call.key].append(call)
    return found


def known_by(calls: Iterable[Call]) -> Sequence[Call]:
    """Return by which of its calls a trace may be another report of a run; those are in order.

    By its model calls, all of them. One that has none and nothing but tools, by its tools. A bare
    call is looked at alone, and of what is not known whole, nothing can be said.
    """
    own = [c for c in calls if not is_tool(c.call_key)] or [
        c for c in calls if is_alone(c.call_key)
    ]
    if not own or own[0].is_bare:
        return ()
    extent = own[0].extent
    return own if len(own) >= (extent.model_steps or extent.tool_steps) else ()


def find_original_run(own: Sequence[Call], others: Iterable[Sequence[Call]]) -> Call | None:
    """Return the call of another trace that the first of these repeats, else ``None``.

    ``own`` is what a trace is known by, ``others`` the calls of each other trace that may be
    alike, all in order.
    """
    alike = (_find_twins(other, own) for other in others if _may_be_original(other[0], own[0]))
    originals = [twins for twins in alike if twins and _place(twins) < _place(own)]
    return min(originals, key=_place)[0] if originals else None


def most_apart_ns(call: Call) -> int:
    """Return how far from its start another report of the call begins at most.

    The slack follows the longer of the two reports, and neither is much longer than the other.
    """
    return slack_ns(call.start_ns, call.end_ns) * 5 // 4


def _may_be_original(theirs: Call, ours: Call) -> bool:
    """Return whether the trace is another one, and no client's report of one call."""
    is_other = theirs.key.trace_id != ours.key.trace_id
    return is_other and theirs.key.project == ours.key.project and not theirs.is_bare


def _place(calls: Sequence[Call]) -> tuple[bool, int, int, int, int, TraceKey]:
    """Return the place of a trace among those that tell the same: the first counts."""
    first, extent = calls[0], calls[0].extent
    return (
        is_alone(first.call_key),
        -extent.model_steps,
        -extent.tool_steps,
        -extent.richness,
        sum(call.start_ns for call in calls),
        first.key,
    )


def _find_twins(other: Sequence[Call], own: Sequence[Call]) -> Sequence[Call]:
    """Return the twin of each call in the other trace; nothing if one has none of its own.

    A framework calls its instrumentations in one order: of all twins the same one begins first, and
    the same one ends first. Two runs that happen to run side by side are not so regular.
    """
    unused: defaultdict[str, list[Call]] = defaultdict(list)
    for call in reversed(other):
        unused[call.call_key].append(call)
    pairs = []
    for call in own:
        alike = unused[sought_key(call.call_key)]
        while alike and not are_twins(alike[-1], call):
            alike.pop()
        if not alike:
            return ()
        pairs.append((call, alike.pop()))
    starts = [ours.start_ns - theirs.start_ns for ours, theirs in pairs]
    ends = [ours.end_ns - theirs.end_ns for ours, theirs in pairs]
    are_regular = _have_one_sign(starts) and _have_one_sign(ends)
    return [theirs for _, theirs in pairs] if are_regular else ()


def _have_one_sign(numbers: Sequence[int]) -> bool:
    return min(numbers) >= 0 or max(numbers) <= 0


def are_twins(ours: Call, theirs: Call) -> bool:
    """Return whether two instrumentations tell of calls that began and ended together."""
    if "" in (ours.dialect, theirs.dialect) or ours.dialect == theirs.dialect:
        return False
    slack = max(slack_ns(ours.start_ns, ours.end_ns), slack_ns(theirs.start_ns, theirs.end_ns))
    apart_ns = abs(ours.start_ns - theirs.start_ns), abs(ours.end_ns - theirs.end_ns)
    return max(apart_ns) <= slack
