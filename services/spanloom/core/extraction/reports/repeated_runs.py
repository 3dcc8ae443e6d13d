"""A whole run reported again in another trace, by an instrumentation with a tracer of its own.

LangSmith beside OpenInference: each of a run's model calls is in both traces, half a millisecond
apart. The trace that has more of the calls is the run; of two that have the same ones, that which
began first.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.extraction.reports.likeness import slack_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import ModelCall


def group_by_trace(calls: Iterable[ModelCall]) -> Mapping[TraceKey, Sequence[ModelCall]]:
    """Return the calls of each trace in order."""
    found: defaultdict[TraceKey, list[ModelCall]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: (call.start_ns, call.step_id)):
        found[call.key].append(call)
    return found


def find_original_run(
    own: Sequence[ModelCall], others: Iterable[Sequence[ModelCall]]
) -> ModelCall | None:
    """Return the first call of the trace that this one repeats, else ``None``.

    ``own`` are calls of one trace, ``others`` those of each other trace that may be alike, all in
    order. A trace of which not every call is known, or that is one bare call, repeats none.
    """
    if not own or own[0].is_bare or len(own) < own[0].calls_in_trace:
        return None
    originals = [o for o in others if _comes_before(o, own) and _has_all(o, own)]
    return min(originals, key=_place)[0] if originals else None


def most_apart_ns(call: ModelCall) -> int:
    """Return how far from its start another report of the call begins at most.

    The slack follows the longer of the two reports, and neither is much longer than the other.
    """
    return slack_ns(call.start_ns, call.end_ns) * 5 // 4


def _place(calls: Sequence[ModelCall]) -> tuple[int, int, TraceKey]:
    first = calls[0]
    return -first.calls_in_trace, first.start_ns, first.key


def _comes_before(other: Sequence[ModelCall], own: Sequence[ModelCall]) -> bool:
    if other[0].is_bare:  # a client's report of one call, which repeats the agent's
        return False
    is_other = other[0].key.trace_id != own[0].key.trace_id
    return is_other and other[0].key.project == own[0].key.project and _place(other) < _place(own)


def _has_all(other: Sequence[ModelCall], own: Sequence[ModelCall]) -> bool:
    """Return whether each call has a twin of its own in the other trace.

    A framework calls its instrumentations in one order: of all twins the same one begins first, and
    the same one ends first. Two runs that happen to run side by side are not so regular.
    """
    unused: defaultdict[str, list[ModelCall]] = defaultdict(list)
    for call in reversed(other):
        unused[call.call_key].append(call)
    pairs = []
    for call in own:
        alike = unused[call.call_key]
        while alike and not are_twins(alike[-1], call):
            alike.pop()
        if not alike:
            return False
        pairs.append((call, alike.pop()))
    return all(
        _have_one_sign(apart_ns)
        for apart_ns in (
            [ours.start_ns - theirs.start_ns for ours, theirs in pairs],
            [ours.end_ns - theirs.end_ns for ours, theirs in pairs],
        )
    )


def _have_one_sign(numbers: Sequence[int]) -> bool:
    return min(numbers) >= 0 or max(numbers) <= 0


def are_twins(ours: ModelCall, theirs: ModelCall) -> bool:
    """Return whether two instrumentations tell of calls that began and ended together."""
    if "" in (ours.dialect, theirs.dialect) or ours.dialect == theirs.dialect:
        return False
    slack = max(slack_ns(ours.start_ns, ours.end_ns), slack_ns(theirs.start_ns, theirs.end_ns))
    apart_ns = abs(ours.start_ns - theirs.start_ns), abs(ours.end_ns - theirs.end_ns)
    return max(apart_ns) <= slack
