"""Graphs of the scenarios: agents that hand over to each other, or parallel model calls."""

from __future__ import annotations

import operator
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from tests.pairs.agents import make_agent, make_model

if TYPE_CHECKING:
    from tests.pairs.agents import Log
    from tests.pairs.script import Scenario

VERSES = 3


class Poem(TypedDict):
    """The state of a graph in which models write several verses and pick one."""

    messages: list[Any]
    verses: Annotated[list[str], operator.add]


def make_graph(script: Scenario, log: Log) -> Any:
    """Return a scenario's graph, whose nodes are agents or model calls."""
    return _make_desk(script, log) if script.has_agents else _make_verses(script)


def _make_desk(script: Scenario, log: Log) -> Any:
    graph = import_module("langgraph.graph")
    builder = graph.StateGraph(graph.MessagesState)
    for agent in script.agents:
        builder.add_node(agent.name, make_agent(agent, script, log))
    builder.add_edge(graph.START, script.agents[0].name)
    return builder.compile(name=script.graph)


def _make_verses(script: Scenario) -> Any:
    graph, types = import_module("langgraph.graph"), import_module("langgraph.types")
    poet, judge = (make_model(agent) for agent in script.agents)

    def write(state: dict[str, Any]) -> dict[str, Any]:
        return {"verses": [poet.invoke(f"Verse {state['number']}").content]}

    def pick(state: Poem) -> dict[str, Any]:
        return {"messages": [judge.invoke("Which of these? " + " ".join(state["verses"]))]}

    def spread(_: Poem) -> list[Any]:
        return [types.Send("write", {"number": number}) for number in range(VERSES)]

    builder = graph.StateGraph(Poem)
    builder.add_node("write", write)
    builder.add_node("pick", pick)
    builder.add_conditional_edges(graph.START, spread, ["write"])
    builder.add_edge("write", "pick")
    return builder.compile(name=script.graph)
