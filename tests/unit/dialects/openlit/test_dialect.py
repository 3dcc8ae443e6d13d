"""OpenLIT: which ``invoke_agent`` and ``invoke_workflow`` spans are runs, and their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, genai, make_span, normalized, owners, rules, sid

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

GRAPH, CHAIN = "openlit.instrumentation.langgraph", "openlit.instrumentation.langchain"
NODE = ("other", "openlit.graph_node")


def run(number: int, parent: int, name: str, scope: str = GRAPH, **more: str) -> Span:
    said = genai("invoke_workflow", workflow__name=name, **more)
    return make_span(number, parent, said, scope=scope, start=number, end=99)


def agent(number: int, parent: int, name: str, scope: str = CHAIN) -> Span:
    said = genai("invoke_agent", agent__name=name)
    return make_span(number, parent, said, scope=scope, start=number, end=99)


def node(number: int, parent: int, name: str) -> Span:
    return agent(number, parent, name, GRAPH)


def call(number: int, parent: int) -> Span:
    return make_span(number, parent, genai("chat"), scope=CHAIN, start=number)


@pytest.mark.parametrize(
    ("nodes", "kind"),
    [
        (["model"], "agent"),
        (["model", "tools", "Limit.before_model"], "agent"),
        (["agent", "tools"], "agent"),
        (["model", "publish"], "graph"),
        (["agent", "publish"], "graph"),
        (["tools"], "graph"),
        ([], "graph"),
    ],
)
def test_a_run_is_known_by_its_nodes(nodes: list[str], kind: str) -> None:
    found = rules(run(1, 0, "planner"), *(node(n, 1, x) for n, x in enumerate(nodes, 2)))
    assert found[1][0] == kind
    assert all(found[n] == NODE for n in range(2, 2 + len(nodes)))


def test_nodes_below_the_spans_of_another_instrumentation_are_the_runs() -> None:
    others = [make_span(n, n - 1, scope="another", start=n, end=99) for n in (2, 3)]
    found = rules(run(1, 0, "planner"), *others, node(4, 3, "model"))
    assert found[1] == ("agent", "openlit.agent_by_nodes")
    assert found[4] == NODE


def test_a_node_is_told_twice_below_different_spans_of_another() -> None:
    """LangChain reports a hook below the agent, LangGraph below a task of another library."""
    task = make_span(4, 1, scope="another", start=4, end=99)
    spans = [run(1, 0, "ops_agent"), agent(2, 1, "ops_agent"), task]
    hook = [agent(5, 2, "hook.before_agent"), node(6, 4, "hook.before_agent")]
    found = rules(*spans, *hook, node(7, 4, "model"))
    assert found[5] == found[6] == NODE


def test_all_reports_of_a_run_are_one_agent() -> None:
    spans = [run(1, 0, "planner"), run(2, 1, "planner"), run(3, 2, "planner", CHAIN)]
    trajectory = extract_spans(*spans, node(4, 2, "model"), call(5, 3))
    assert owners(trajectory) == {1: [5]}
    assert trajectory.agent_steps[0].step.metadata["merged_span_ids"] == f"{sid(2)},{sid(3)}"


def test_a_streamed_run_lists_its_nodes_itself() -> None:
    listed = run(1, 0, "planner", graph__executed_nodes='["model","tools"]')
    assert rules(listed)[1][0] == "agent"
    assert rules(run(1, 0, "planner", graph__executed_nodes="[1"))[1][0] == "graph"
    modes = run(1, 0, "planner", graph__executed_nodes='["updates","messages"]')
    assert rules(modes, node(2, 1, "model"))[1][0] == "agent"


@pytest.mark.parametrize("name", ["call_agent", "route_to_active_agent"])
def test_a_library_s_function_is_no_agent(name: str) -> None:
    assert rules(run(1, 0, "team"), agent(2, 1, name))[2] == ("other", "openlit.function")


def test_a_nested_agent_is_no_node_and_owns_its_calls() -> None:
    spans = [
        run(1, 0, "essay"),
        node(2, 1, "write"),
        agent(3, 2, "writer_agent"),
        node(4, 2, "model"),
        call(5, 3),
    ]
    assert owners(extract_spans(*spans)) == {1: [3], 3: [5]}


def test_the_node_of_an_agent_s_name_is_no_agent() -> None:
    spans = [
        run(1, 0, "team"),
        agent(2, 1, "research_agent"),
        node(3, 1, "research_agent"),
        agent(4, 2, "call_agent"),
        agent(5, 4, "research_agent"),
        node(6, 3, "model"),
        call(7, 5),
    ]
    assert owners(extract_spans(*spans)) == {1: [5], 5: [7]}


def test_another_run_inside_is_another() -> None:
    assert normalized(run(1, 0, "team"), agent(2, 1, "helper_agent"))[2].part_of is None


@pytest.mark.parametrize(("streamed", "first_token"), [("true", 40.0), ("false", None), ("", None)])
def test_only_a_streamed_call_has_a_first_token(streamed: str, first_token: float | None) -> None:
    said = genai("chat", request__stream=streamed) | {"gen_ai.server.time_to_first_token": "0.04"}
    assert normalized(make_span(1, 0, said, scope=CHAIN))[1].facts.first_token_ms == first_token


def test_construction_and_plain_chains_are_no_steps() -> None:
    created = make_span(1, 0, genai("create_agent", agent__name="planner"), scope=CHAIN)
    assert rules(created)[1][0] == "other"
    assert rules(run(1, 0, "RunnableSequence", CHAIN))[1][0] == "other"


def test_the_name_repeats_a_missing_operation() -> None:
    spans = [run(1, 0, "planner"), node(2, 1, "model"), call(3, 2)]
    names = ["invoke_workflow planner", "invoke_agent model", "chat gpt"]
    bare = [s._replace(attributes={}, name=n) for s, n in zip(spans, names, strict=True)]
    assert [kind for kind, _ in rules(*bare).values()] == ["agent", "other", "model"]


def test_many_reports_of_one_name_do_not_take_forever() -> None:
    spans = [run(n, n - 1, "planner") for n in range(1, 3000)]
    assert extract_spans(*spans, *(run(n, 1, "planner") for n in range(3000, 6000)))


def test_a_tool_shows_what_python_wrote_as_it_was_meant() -> None:
    said = genai("execute_tool", tool__name="f", tool__call__arguments="{'city': 'Oslo'}")
    said["gen_ai.tool.call.result"] = "content='it\\'s dry' name='f' tool_call_id='c1'"
    [found] = normalized(make_span(1, 0, said, scope=CHAIN, name="execute_tool f")).values()
    assert found.facts.input == '{"city":"Oslo"}'
    assert found.facts.output == "it's dry"
