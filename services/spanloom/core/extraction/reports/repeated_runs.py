"""A whole run reported again in another trace, by an instrumentation with a tracer of its own.

LangSmith beside OpenInference: each of a run's model calls is in both traces, half a millisecond
apart. The trace that has more of the calls is the run; of two that have the same ones, that which
has more of the tools, then that which tells more of them, then that which began first. Where an
instrumentation loses its place a run comes in pieces: one without model calls is known by tools.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.extraction.reports.call_keys import is_alone, is_tool
from spanloom.core.extraction.reports.call_twins import find_twins

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

    By its model calls, all of them; one that has none, by its tools. A bare call is looked at
    alone, and of what is not known whole, nothing can be said.
    """
    models = [call for call in calls if not is_tool(call.call_key)]
    own = models or [call for call in calls if is_alone(call.call_key)]
    if not own or own[0].is_bare:
        return ()
    extent = own[0].extent
    return own if len(own) >= (extent.model_steps or extent.tool_steps) else ()


def find_original_run(own: Sequence[Call], others: Iterable[Sequence[Call]]) -> Call | None:
    """Return the call of another trace that the first of these repeats, else ``None``.

    ``own`` is what a trace is known by, ``others`` the calls of each other trace that may be
    alike, all in order.
    """
    alike = (find_twins(other, own) for other in others if _may_be_original(other[0], own[0]))
    originals = [twins for twins in alike if twins and _place(twins) < _place(own)]
    return min(originals, key=_place)[0] if originals else None


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
