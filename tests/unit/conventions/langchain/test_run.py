"""LangChain runs are recognised by metadata and structure; names of spans decide nothing here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.spans import make_span, normalized, openinference, rules

from spanloom.core.conventions.langchain.run import read_metadata

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

CREATE_AGENT = "langchain_create_agent"
AGENT = ("agent", "langchain.create_agent")
PLUMBING = ("other", "openinference.plumbing")


def run(number: int, parent: int, name: str, kind: str = "CHAIN", **metadata: str) -> Span:
    said = openinference(kind, metadata=json.dumps(metadata)) if metadata else openinference(kind)
    return make_span(number, parent, said, name=name, start=number)


def test_a_span_whose_children_are_one_level_deeper_is_the_run() -> None:
    found = rules(
        run(1, 0, "planner", ls_integration=CREATE_AGENT, lc_agent_name="planner"),
        run(
            2,
            1,
            "model",
            ls_integration=CREATE_AGENT,
            langgraph_node="model",
            langgraph_checkpoint_ns="model:1",
        ),
        run(
            3, 2, "RunnableSequence", ls_integration=CREATE_AGENT, langgraph_checkpoint_ns="model:1"
        ),
    )
    assert found == {1: AGENT, 2: PLUMBING, 3: PLUMBING}


def test_the_native_mark_does_not_make_a_node_an_agent() -> None:
    found = rules(
        run(1, 0, "concierge", ls_integration="langgraph"),
        run(
            2,
            1,
            "agent",
            "AGENT",
            ls_integration="langgraph",
            langgraph_node="agent",
            langgraph_checkpoint_ns="agent:1",
        ),
    )
    assert found == {1: ("graph", "langchain.graph_run"), 2: PLUMBING}


def test_a_run_inside_a_node_of_another_graph() -> None:
    inner = {"ls_integration": CREATE_AGENT, "lc_agent_name": "scout", "langgraph_node": "research"}
    found = rules(
        run(1, 0, "trip", ls_integration="langgraph"),
        run(2, 1, "research", **{**inner, "langgraph_checkpoint_ns": "research:1"}),
        run(3, 2, "scout", **{**inner, "langgraph_checkpoint_ns": "research:1"}),
        run(
            4,
            3,
            "model",
            **{**inner, "langgraph_checkpoint_ns": "research:1|model:2", "langgraph_node": "model"},
        ),
    )
    assert found == {1: ("graph", "langchain.graph_run"), 2: PLUMBING, 3: AGENT, 4: PLUMBING}


def test_the_prebuilt_loop_is_told_by_its_nodes() -> None:
    def loop(inner: str) -> tuple[str, str]:
        return rules(
            run(1, 0, "helper", ls_integration="langgraph"),
            run(
                2,
                1,
                "agent",
                ls_integration="langgraph",
                langgraph_node="agent",
                langgraph_checkpoint_ns="agent:1",
            ),
            run(
                3,
                2,
                inner,
                ls_integration="langgraph",
                langgraph_node="agent",
                langgraph_checkpoint_ns="agent:1",
            ),
        )[1]

    assert loop("call_model") == ("agent", "langchain.create_react_agent")
    assert loop("acall_model") == ("agent", "langchain.create_react_agent")
    assert loop("think") == ("graph", "langchain.graph_run")


def test_the_topmost_span_that_arrived_of_a_node_is_no_run() -> None:
    own = {"ls_integration": "langgraph", "langgraph_node": "research"}
    inner = run(2, 1, "model", **own, langgraph_checkpoint_ns="research:1|model:2")
    node = run(1, 99, "research", **own, langgraph_checkpoint_ns="research:1")
    nested = run(1, 99, "scout", **own, langgraph_checkpoint_ns="research:1")
    assert rules(node, inner)[1] == PLUMBING
    assert rules(nested, inner)[1] == ("graph", "langchain.graph_run")


def test_without_its_inside_only_what_cannot_be_inherited_counts() -> None:
    def alone(name: str, **metadata: str) -> tuple[str, str]:
        return rules(run(1, 0, name, **metadata))[1]

    by_name = ("agent", "langchain.agent_name")
    assert alone("planner", ls_integration=CREATE_AGENT, lc_agent_name="planner") == by_name
    assert alone("LangGraph", ls_integration=CREATE_AGENT) == by_name
    assert alone("tools", ls_integration=CREATE_AGENT, lc_agent_name="planner") == PLUMBING
    assert (
        alone(
            "planner",
            ls_integration=CREATE_AGENT,
            lc_agent_name="planner",
            langgraph_node="planner",
        )
        == PLUMBING
    )
    assert alone("trip", ls_integration="langgraph") == ("graph", "langchain.outermost_graph")
    assert alone("trip", ls_integration="langgraph", langgraph_node="outer") == PLUMBING
    assert alone("RunnableSequence") == PLUMBING


def test_metadata_of_any_type_is_read() -> None:
    said = {"ls_integration": '"langgraph"', "lc_agent_name": "x", "langgraph_node": ["a"]}
    found = read_metadata("n", said)  # type: ignore[arg-type]  # as JSON gives it
    assert found == ("n", "langgraph", "x", "", "")


def test_an_agent_bears_the_name_that_its_author_gave_it() -> None:
    own = {"ls_integration": CREATE_AGENT, "lc_agent_name": "planner"}
    spans = [
        run(1, 0, "nightly job", **own),
        run(2, 1, "model", **own, langgraph_node="model", langgraph_checkpoint_ns="model:1"),
    ]
    assert rules(*spans)[1] == AGENT
    assert normalized(*spans)[1].facts.agent_name == "planner"


@pytest.mark.parametrize(
    ("name", "node", "found"),
    [
        ("lookup", "search", ("graph", "langchain.graph_run")),
        ("LangGraph", "model", AGENT),
        ("planner", "search", AGENT),
    ],
)
def test_what_an_agents_tool_runs_inherits_its_metadata_and_is_what_it_is(
    name: str, node: str, found: tuple[str, str]
) -> None:
    own = {"ls_integration": CREATE_AGENT, "lc_agent_name": "planner"}
    at = {"langgraph_node": "tools", "langgraph_checkpoint_ns": "tools:1"}
    inside = {"langgraph_node": node, "langgraph_checkpoint_ns": f"tools:1|{node}:1"}
    spans = [
        run(1, 0, "planner", **own),
        run(2, 1, "tools", **own, **at),
        run(3, 2, "ask", "TOOL", **own, **at),
        run(4, 3, name, **own, **at),
        run(5, 4, node, **own, **inside),
    ]
    assert rules(*spans)[4] == found
