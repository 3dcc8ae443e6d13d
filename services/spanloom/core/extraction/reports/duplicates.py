"""The same call reported again in another trace.

A client instrumented under a framework that lost the context reports its call as a trace of its
own, and a client with two instrumentations, one of which loses the context, reports it as two.
Nothing links them; numbers and time do: the call has the same tokens, and it ran while the other
call ran. What was said is compared where tokens are not told: the SDK of Anthropic reports its own
calls without a text. Only a call that is all there is in its trace can be such a report, and
of two such calls only one that another dialect tells of: one client may well ask the same twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.extraction.reports.call_keys import make_call_key, make_tool_key
from spanloom.core.extraction.reports.call_twins import are_twins
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Kind, StepType, Trajectory
from spanloom.core.ports.building import Call, Extent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Kept: until Python 3.12 an enum looks its members up in Python code.
_MODEL, _TOOL = StepType.MODEL, StepType.TOOL


def list_calls(trajectory: Trajectory) -> Sequence[Call]:
    """Return the calls of models and tools, each with the key by which other reports are found."""
    steps = [s for agent in trajectory.agent_steps for s in agent.steps]
    calls = [s for s in steps if s.type is _MODEL]
    tools = [s for s in steps if s.type is _TOOL]
    is_bare = len(calls) == len(steps) == 1 and trajectory.root_type is Kind.MODEL
    extent = Extent(len(calls), len(tools), sum(s.richness for s in (*calls, *tools)))
    key = TraceKey(trajectory.project, trajectory.trace_id)
    keys = [
        *((s, make_call_key(s)) for s in calls),
        *((s, make_tool_key(s, is_alone=not calls)) for s in tools),
    ]
    return [
        Call(key, s.id, call_key, s.start_ns, s.end_ns, is_bare, s.dialect, extent)
        for s, call_key in keys
        if call_key
    ]


def find_original(call: Call, others: Iterable[Call]) -> Call | None:
    """Return the call that this bare one repeats: the shortest around or beside it, else ``None``.

    A framework's call comes before another bare one. Beside it is a run that another
    instrumentation reports whole, of which this one gives each call a trace of its own.
    """
    if not call.is_bare:
        return None
    enclosing = [
        o
        for o in others
        if (_encloses(o, call) or _is_run_beside(o, call)) and _comes_before(o, call)
    ]
    return min(
        enclosing, key=lambda o: (o.is_bare, o.end_ns - o.start_ns, o.key, o.step_id), default=None
    )


def _encloses(outer: Call, inner: Call) -> bool:
    is_within = outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns
    return is_within and _say_the_same(outer, inner)


def _is_run_beside(run: Call, call: Call) -> bool:
    return not run.is_bare and _say_the_same(run, call) and are_twins(run, call)


def _say_the_same(ours: Call, theirs: Call) -> bool:
    return (
        ours.call_key == theirs.call_key
        and ours.key.project == theirs.key.project
        and ours.key.trace_id != theirs.key.trace_id
    )


def _comes_before(outer: Call, inner: Call) -> bool:
    """Decide which of two reports is the original, so that never both repeat each other."""
    if not outer.is_bare:
        return True
    if "" in (outer.dialect, inner.dialect) or outer.dialect == inner.dialect:
        return False
    is_longer = outer.end_ns - outer.start_ns > inner.end_ns - inner.start_ns
    return is_longer or outer.key < inner.key
