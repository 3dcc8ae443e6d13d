"""LangChain runs without metadata: spans are runs, nodes or agents according to their structure."""

from __future__ import annotations

from tests.support.spans import make_span, rules

Spec = tuple[int, int, str, str]
"""Number, number of the parent, type and name of a span."""


def kinds(*specs: Spec) -> dict[int, str]:
    spans = [
        make_span(n, parent, {"cozeloop.span_type": kind}, name=name, start=n)
        for n, parent, kind, name in specs
    ]
    return {number: kind for number, (kind, _) in rules(*spans).items()}


def test_the_library_s_model_node_tells_an_agent() -> None:
    for node in ("model", "model_request"):
        found = kinds(
            (1, 0, "chain", "concierge"),
            (2, 1, "chain", node),
            (3, 2, "model", "ChatOpenAI"),
            (4, 1, "chain", "tools"),
            (5, 4, "tool", "lookup"),
        )
        assert found == {1: "agent", 2: "other", 3: "model", 4: "other", 5: "tool"}


def test_the_prebuilt_loop_is_an_agent_and_an_author_s_node_agent_is_not() -> None:
    for inner in ("call_model", "prompt"):
        found = kinds(
            (1, 0, "graph", "LangGraph"), (2, 1, "chain", "agent"), (3, 2, "chain", inner)
        )
        assert found[1] == "agent"
    own = kinds((1, 0, "graph", "LangGraph"), (2, 1, "chain", "agent"), (3, 2, "model", "Chat"))
    assert (own[1], own[2]) == ("graph", "other")


def test_runs_and_nodes_alternate() -> None:
    found = kinds(
        (1, 0, "chain", "essays"),
        (2, 1, "chain", "outline"),
        (3, 2, "model", "ChatOpenAI"),
        (4, 1, "chain", "team"),
        (5, 4, "chain", "writing"),
        (6, 5, "chain", "write"),
        (7, 6, "chain", "writer"),
        (8, 7, "chain", "model"),
    )
    assert [found[n] for n in (1, 2, 4, 5, 6, 7, 8)] == [
        "graph",
        "other",
        "other",
        "graph",
        "other",
        "agent",
        "other",
    ]


def test_a_chain_of_plumbing_or_calls_is_no_graph() -> None:
    assert (
        "graph"
        not in kinds(
            (1, 0, "chain", "RunnableSequence"),
            (2, 1, "chain", "RunnableParallel<context,question>"),
            (3, 2, "chain", "join_docs"),
        ).values()
    )
    assert (
        "graph"
        not in kinds(
            (1, 0, "chain", "answer"), (2, 1, "prompt", "P"), (3, 1, "chain", "StrOutputParser")
        ).values()
    )
    assert kinds((1, 0, "chain", "answer"))[1] == "other"


def test_a_function_around_an_agent_is_neither_graph_nor_agent() -> None:
    found = kinds(
        (1, 0, "chain", "call_agent"), (2, 1, "chain", "concierge"), (3, 2, "chain", "model")
    )
    assert found == {1: "other", 2: "agent", 3: "other"}


def test_javascript_graphs_have_a_start_node() -> None:
    found = kinds((1, 0, "chain", "ChainStart"), (2, 1, "chain", "__start__"))
    assert found == {1: "graph", 2: "other"}


def test_a_very_deep_trace_is_no_problem() -> None:
    deep = [(1, 0, "chain", "a"), *((n, n - 1, "chain", "a") for n in range(2, 5_000))]
    assert len(kinds(*reversed(deep))) == 4_999
