"""OpenAI Agents under OpenInference: spans around runs, graphs of several agents, and handoffs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import extract_spans, make_span, normalized, openinference, owners, rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span

SCOPE = "openinference.instrumentation.openai_agents"
FRAME = ("other", "openinference_openai_agents.frame_of_a_run")
COMPOSED = ("graph", "openinference_openai_agents.composed_runs")
AGENT = ("agent", "openinference_openai_agents.named_agent")
HANDOFF = ("tool", "openinference_openai_agents.handoff")
CALL = ("model", "openinference_openai_agents.call")


def said(number: int, parent: int, attributes: Mapping[str, str], name: str = "x") -> Span:
    return make_span(number, parent, attributes, name=name, scope=SCOPE, start=number)


def trace(name: str = "Agent workflow") -> Span:
    return said(1, 0, openinference("AGENT"), name)


def run(number: int, parent: int = 1) -> Span:
    return said(number, parent, openinference("CHAIN"), "Agent workflow")


def agent(number: int, parent: int, name: str, handed_over_by: str = "") -> Span:
    named = openinference("AGENT", agent__name=name, graph__node__id=name)
    if handed_over_by:
        named["graph.node.parent_id"] = handed_over_by
    return said(number, parent, named, name)


def test_a_run_of_one_agent_is_framed_by_the_sdk() -> None:
    found = rules(trace(), run(2), agent(3, 2, "bcd"), said(4, 3, openinference("CHAIN"), "turn"))
    assert [found[n] for n in (1, 3)] == [FRAME, AGENT]
    assert found[2][0] == found[4][0] == "other"


def test_a_trace_around_several_agents_is_a_graph() -> None:
    spans = [trace("x"), run(2), agent(3, 2, "bcd"), run(4), agent(5, 4, "fgh")]
    assert rules(*spans)[1] == COMPOSED


def test_spans_of_the_author_between_trace_and_runs_change_nothing() -> None:
    stages = [said(n, 1, openinference("CHAIN"), "stage") for n in (2, 3)]
    runs = [run(4, 2), agent(5, 4, "bcd"), run(6, 3), agent(7, 6, "fgh")]
    assert rules(trace(), *stages, *runs)[1] == COMPOSED


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param([run(2), agent(3, 2, "b"), agent(4, 2, "c", "b")], id="handed over"),
        pytest.param([agent(3, 1, "b"), agent(4, 1, "c", "b")], id="without runs"),
        pytest.param([run(2), agent(3, 2, "b"), run(4), agent(5, 4, "b")], id="twice the same"),
        pytest.param(
            [
                run(2),
                agent(3, 2, "b"),
                said(4, 3, openinference("TOOL", tool__name="ask")),
                run(5, 4),
                agent(6, 5, "c"),
            ],
            id="as a tool",
        ),
    ],
)
def test_what_agents_do_among_themselves_composes_nothing(spans: list[Span]) -> None:
    assert rules(trace(), *spans)[1] == FRAME


def test_a_handoff_is_a_tool_run() -> None:
    attributes = openinference("TOOL", input__value="b", output__value="c")
    spans = [trace(), agent(2, 1, "b"), said(3, 2, attributes, "handoff to c")]
    assert rules(*spans)[3] == HANDOFF
    facts = normalized(*spans)[3].facts
    assert (facts.tool_name, facts.input, facts.output) == ("handoff", "b", "c")


def test_a_tool_called_like_a_handoff_is_that_tool() -> None:
    attributes = openinference("TOOL", tool__name="handoff to c")
    facts = normalized(said(1, 0, attributes, "handoff to c"))[1].facts
    assert facts.tool_name == "handoff to c"


def test_spans_that_lost_their_kind_are_told_by_the_rest() -> None:
    spans = [
        said(1, 0, {}, "Agent workflow"),
        said(2, 1, {"graph.node.id": "b"}, "b"),
        said(3, 2, {}, "turn"),
        said(4, 3, {}, "response"),
        said(5, 3, {"output.value": "c", "input.value": "b"}, "handoff to c"),
        said(6, 3, {"tool.name": "look_up"}, "look_up"),
    ]
    found = rules(*spans)
    assert [found[n] for n in (1, 2, 4, 5)] == [FRAME, AGENT, CALL, HANDOFF]
    assert (found[3][0], found[6][0]) == ("other", "tool")


def test_an_agent_as_a_tool_owns_what_it_ran() -> None:
    spans = [
        trace(),
        agent(2, 1, "b"),
        said(3, 2, openinference("TOOL", tool__name="ask")),
        run(4, 3),
        agent(5, 4, "c"),
        said(6, 5, openinference("LLM"), "generation"),
    ]
    assert owners(extract_spans(*spans)) == {1: [2], 2: [3, 5], 5: [6]}
