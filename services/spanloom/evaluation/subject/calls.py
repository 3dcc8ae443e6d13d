"""Reads the calls of a run, sorted by start.

The calls of a document are its steps; the calls of messages are the tool calls of the assistant.
Calls of one agent keep the order of the document. Calls of several agents are sorted by start, in
milliseconds, and for equal starts by the tree: descendants of a call precede the next call.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from spanloom.evaluation.subject.call import Call, without_retries
from spanloom.evaluation.subject.message_calls import calls_of_messages
from spanloom.evaluation.subject.order import tree_order
from spanloom.evaluation.subject.tool_calls import requested_by, tools_run_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentStep
    from spanloom.evaluation.subject.canonical import Budget
    from spanloom.evaluation.subject.run import Run

Of: TypeAlias = Literal["ran", "requested", "agents", "steps", "graph"]
"""``ran``: tools that ran; ``requested``: calls that models requested; ``agents``: the agents below
the root; ``steps``: every step; ``graph``: the nodes of a graph.
"""
OF: tuple[Of, ...] = get_args(Of)
_Timed: TypeAlias = tuple[int, Call]
"""A call with the start of its step, in milliseconds."""


def calls_of(
    run: Run, of: Of = "ran", *, retries: Literal["once", "count"] = "count", budget: Budget
) -> Sequence[Call]:
    """Return the calls of a run.

    In messages, a call counts as run if a tool message answers it. With ``retries="once"`` a failed
    call that the same agent repeats at once is left out. Raises ``UnreadableRunError`` if messages
    are needed as a document but are not a chat, and ``TooLargeError``.
    """
    if run.is_messages and of in {"ran", "requested"}:
        calls = calls_of_messages(run.messages, is_run=of == "ran")
        return without_retries(calls, budget) if retries == "once" else calls
    if of == "agents":
        return _agents(run.document)
    found: list[list[_Timed]] = []
    for agent in run.document.agents:
        timed = _OF_AN_AGENT[of](agent)
        if retries == "once":
            timed = _without_retries(timed, budget)
        if timed:
            found.append(timed)
    return _by_start(run.document, found)


def _by_start(document: Document, found: Sequence[Sequence[_Timed]]) -> Sequence[Call]:
    """Return the calls of all agents sorted by start, for equal starts by the tree.

    Calls of an agent below a call precede the next call, even within a millisecond.
    """
    timed = [one for of_agent in found for one in of_agent]
    if len(found) > 1 and len({start for start, _ in timed}) < len(timed):
        places = tree_order(document)
        timed.sort(key=lambda one: places.get(one[1].step_id, 0))
    return [call for _, call in sorted(timed, key=itemgetter(0))]


def _without_retries(timed: Sequence[_Timed], budget: Budget) -> list[_Timed]:
    kept = {id(call) for call in without_retries([call for _, call in timed], budget)}
    return [one for one in timed if id(one[1]) in kept]


def _agents(document: Document) -> Sequence[Call]:
    """Return the agents below the root as calls."""
    root_id = document.root.id
    below = [(agent.started_at, _plain(agent)) for agent in document.agents if agent.id != root_id]
    return [call for _, call in sorted(below, key=itemgetter(0))]


def _steps(agent: DocumentAgent) -> list[_Timed]:
    tools = iter(tools_run_by(agent))
    return [next(tools) if s.type == "tool" else (s.started_at, _plain(s)) for s in agent.steps]


def _nodes(agent: DocumentAgent) -> list[_Timed]:
    """Return the graph nodes in which the steps ran; consecutive steps of a node are one call."""
    visits: list[_Timed] = []
    before = ""
    for step in agent.steps:
        if node := str(step.metadata.get("node") or (step.type == "graph" and step.name) or ""):
            if node != before:
                visits.append((step.started_at, Call(node, {}, step.id, "node")))
            before = node
    return visits


def _plain(step: DocumentStep) -> Call:
    return Call(step.name, {}, step.id, step.type, failed=step.error is not None)


_OF_AN_AGENT: dict[str, Callable[[DocumentAgent], list[_Timed]]] = {
    "ran": tools_run_by,
    "requested": requested_by,
    "steps": _steps,
    "graph": _nodes,
}


def not_objects(calls: Iterable[Call]) -> int:
    """Return the number of calls whose arguments are not a JSON object."""
    return sum(not isinstance(call.arguments, dict) for call in calls)
