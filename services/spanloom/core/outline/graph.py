"""The call graph of a run: calls of agents, models and tools, and handoffs to agents.

In a run of up to ``MOST_STEPS`` steps each step is a node; in a longer run all calls with one name
by one agent are one node. Edges come from the spans alone, never from times.

Handoff tools are called ``transfer_to_…`` in LangGraph, Eino, AutoGen and ADK, and ``handoff`` in
OpenAI's Agents SDK and LlamaIndex. The agent that they name has to be in the same run; it does not
matter which agent started next.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.outline.rows import OutlineRow

MOST_STEPS = 250
MOST_NODES = 1_000
"""Maximum nodes with their own kind, agent and name; further steps share one node per kind."""
_REST = "…"


def run_graph(rows: Sequence[OutlineRow], steps: Mapping[str, DocumentStep]) -> dict[str, Any]:
    """Return the nodes and edges of a run; each node has the number of its first row."""
    own = [(number, row) for number, row in enumerate(rows) if row.step_id == row.id]
    is_expanded = len(own) <= MOST_STEPS
    nodes: dict[str, dict[str, Any]] = {}
    node_of: dict[str, str] = {}
    for number, row in own:
        key = row.id if is_expanded else _kind_key(row, nodes)
        node_of[row.id] = key
        _add(nodes.setdefault(key, _node(key, row, number)), row)
    edges = Counter(
        (node_of[above], node_of[row.id])
        for _, row in own
        if (step := steps.get(row.id)) and (above := step.parent_id) in node_of
    )
    return {
        "nodes": list(nodes.values()),
        "edges": _edges(edges, _handed(rows, steps, node_of, is_expanded=is_expanded)),
        "is_aggregated": not is_expanded,
        "why": "" if is_expanded else _why(len(own)),
    }


def _handed(
    rows: Sequence[OutlineRow],
    steps: Mapping[str, DocumentStep],
    node_of: Mapping[str, str],
    *,
    is_expanded: bool,
) -> Counter[tuple[str, str]]:
    """Count handoffs per pair of nodes, if the receiving agent is a single node.

    If an agent ran several times, only the times would show to which run a handoff led, and times
    are not used.
    """
    runs = Counter(row.name for row in rows if row.kind == "agent" and row.step_id == row.id)
    named = {row.id: row.name for row in rows}
    return Counter(
        (node_of[each.step_id], node_of[each.agent_id])
        for each in find_handoffs(rows, steps)
        if not is_expanded or runs[named[each.agent_id]] == 1
    )


def _edges(
    calls: Mapping[tuple[str, str], int], handoffs: Mapping[tuple[str, str], int]
) -> list[dict[str, Any]]:
    joined = dict.fromkeys((*calls, *handoffs))
    return [
        {
            "from": edge[0],
            "to": edge[1],
            "calls": calls.get(edge, 0),
            "handoffs": handoffs.get(edge, 0),
        }
        for edge in joined
    ]


def _kind_key(row: OutlineRow, nodes: Mapping[str, object]) -> str:
    """Return the node id of a step, shared by all calls of one kind and name by one agent."""
    key = f"{row.kind}/{row.agent}/{row.name}"
    return key if key in nodes or len(nodes) < MOST_NODES else f"{row.kind}/{_REST}/{_REST}"


def _node(key: str, row: OutlineRow, number: int) -> dict[str, Any]:
    is_rest = key.endswith(f"/{_REST}/{_REST}")
    return {
        "id": key,
        "type": row.kind,
        "name": _REST if is_rest else row.name,
        "agent": "" if is_rest else row.agent,
        "first_row": number,
        "calls": 0,
        "errors": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "duration_ms": 0,
    }


def _add(node: dict[str, Any], row: OutlineRow) -> None:
    node["calls"] += 1
    node["errors"] += row.flags & 1
    node["input_tokens"] += row.input_tokens
    node["output_tokens"] += row.output_tokens
    node["duration_ms"] += row.duration_ms


def _why(steps: int) -> str:
    return f"{steps:,} steps: calls of one name by one agent are one node (up to {MOST_STEPS} each)"


_BEFORE_NAME = ("transfer_to_", "handoff to ")
_NAMELESS = ("handoff", "transfer_to_agent")
"""Handoff tools whose arguments or output, not their own name, contain the agent's name."""
_ARGUMENTS = ("agent_name", "to_agent")


class Handoff(NamedTuple):
    """The id of a tool step that handed control to an agent, and that agent's id."""

    step_id: str
    agent_id: str


def find_handoffs(
    rows: Sequence[OutlineRow], steps: Mapping[str, DocumentStep]
) -> Iterator[Handoff]:
    """Yield the handoffs to agents of this run.

    If an agent ran several times, its id is the id of its first run; see ``run_graph``.
    """
    own = [row for row in rows if row.step_id == row.id and row.id in steps]
    agents: dict[str, str] = {}
    for row in own:
        if row.kind == "agent":
            agents.setdefault(_plain(row.name), row.id)
    for row in own:
        named = _plain(_named(row, steps[row.id])) if row.kind == "tool" else ""
        if named in agents:
            yield Handoff(row.id, agents[named])


def _named(tool: OutlineRow, step: DocumentStep) -> str:
    """Return the name of the agent to which a tool hands off; empty for any other tool."""
    name = tool.name
    if name in _NAMELESS:
        value = json_value(step.input)
        arguments = value if isinstance(value, dict) else {}
        agents = [arguments[key] for key in _ARGUMENTS if key in arguments]
        return str(agents[0] if agents else step.output)
    names = (name.removeprefix(begin) for begin in _BEFORE_NAME if name.startswith(begin))
    return next(names, "")


def _plain(name: str) -> str:
    """Return a name in the form of function names: ``essay_writer`` for ``Essay Writer``."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")
