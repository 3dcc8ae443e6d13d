"""Spans that report one call over the Model Context Protocol become one step, others do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.growth import assert_linear
from tests.support.spans import extract_spans, genai, make_span, openinference, owners, verdict

from spanloom.core.model.trajectory import Kind, Trajectory

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

AGENT = make_span(1, 0, genai("invoke_agent"), end=1_000)


def wrapper(number: int, parent: int, name: str = "b", end: float = 100, **more: str) -> Span:
    """Return a framework's span of a tool."""
    attributes = genai("execute_tool", tool__name=name, **more)
    return make_span(number, parent, attributes, start=number, end=end, scope="framework")


def leg(
    number: int, parent: int, side: str, name: str = "b", start: float = 0, end: float = 10
) -> Span:
    """Return an MCP client's or server's span of a tool call, without arguments and result."""
    said = {"mcp.method.name": "tools/call", "gen_ai.tool.name": name}
    named = f"tools/call {name}"
    span = make_span(number, parent, said, name=named, scope=side, start=start, end=end)
    return span._replace(kind=side, service_name=side)


def tools(*spans: Span) -> list[int]:
    """Return the span numbers of the agent's tool steps."""
    return sorted(owners(extract_spans(AGENT, *spans))[1])


def with_arguments(span: Span, text: str) -> Span:
    return span._replace(attributes={**span.attributes, "gen_ai.tool.call.arguments": text})


def test_a_chain_of_wrapper_client_and_server_is_the_wrappers() -> None:
    chain = [wrapper(2, 1), leg(3, 2, "Client"), leg(4, 3, "Client"), leg(5, 4, "Server")]
    trajectory = extract_spans(AGENT, *chain)
    assert owners(trajectory) == {1: [2]}
    assert {verdict(trajectory, n).step_id for n in (2, 3, 4, 5)} == {chain[0].span_id}
    [step] = trajectory.agent_steps[0].steps
    assert step.end_ns - step.start_ns == 98_000_000


def test_noise_between_changes_nothing() -> None:
    assert tools(wrapper(2, 1), make_span(3, 2), leg(4, 3, "Server")) == [2]


def test_a_servers_leg_below_the_clients_is_the_same_call_whatever_its_name() -> None:
    assert tools(leg(2, 1, "Client", "github_b"), leg(3, 2, "Server", "b")) == [2]


def test_a_name_with_its_servers_before_it_is_the_same_tools() -> None:
    assert tools(wrapper(2, 1, "files_b"), leg(3, 2, "Client", "b")) == [2]
    assert tools(wrapper(2, 1, "ab"), leg(3, 2, "Client", "b")) == [2, 3]


def test_two_legs_below_one_tool_are_calls_of_the_tools_own() -> None:
    first = [leg(3, 2, "Client"), leg(4, 3, "Server")]
    second = [leg(5, 2, "Client", start=20, end=30), leg(6, 5, "Server", start=21, end=29)]
    assert tools(wrapper(2, 1), *first, *second) == [2, 3, 5]


def test_two_legs_below_a_servers_are_calls_of_the_servers_own() -> None:
    server = [leg(2, 1, "Client", end=90), leg(3, 2, "Server", end=80)]
    inner = [leg(4, 3, "Client"), leg(5, 3, "Client", start=20, end=30)]
    assert tools(*server, *inner) == [2, 4, 5]
    assert tools(*server, inner[0]) == [2]


def test_one_leg_with_other_arguments_is_another_call() -> None:
    around = with_arguments(wrapper(2, 1), '{"q": "bees"}')
    assert tools(around, with_arguments(leg(3, 2, "Client"), '{"q": "ants"}')) == [2, 3]
    assert tools(around, with_arguments(leg(3, 2, "Client"), '{"q":"bees","n":1}')) == [2]


def test_a_tool_that_calls_another_tool_is_two() -> None:
    assert tools(wrapper(2, 1, "a"), leg(3, 2, "Client", "b")) == [2, 3]


def beside(number: int, start: float, end: float, side: str = "Client", name: str = "b") -> Span:
    return leg(number, 1, side, name, start=start, end=end)


def test_a_leg_beside_a_tool_within_its_time_is_the_tools_call() -> None:
    tool = make_span(2, 1, openinference("TOOL", **{"tool.name": "b"}), start=100, end=240)
    inner = [leg(4, 3, "Server", start=170, end=200)]
    assert tools(tool, beside(3, 101, 230), *inner) == [2]
    assert tools(tool, beside(3, 20, 40), leg(4, 3, "Server", start=25, end=30)) == [2, 3]
    assert tools(tool, beside(3, 101, 230, name="c")) == [2, 3]


def test_clocks_of_two_machines_may_differ_a_little() -> None:
    tool = make_span(2, 1, openinference("TOOL", **{"tool.name": "b"}), start=100, end=200)
    assert tools(tool, beside(3, 90, 150, "Server")) == [2]
    assert tools(tool, beside(3, 60, 150, "Server")) == [2, 3]


@pytest.mark.parametrize("swapped", [False, True])
def test_legs_beside_parallel_tools_are_theirs_if_there_are_as_many(*, swapped: bool) -> None:
    named = openinference("TOOL", **{"tool.name": "b"})
    both = [make_span(2, 1, named, start=100, end=240), make_span(3, 1, named, start=101, end=300)]
    ends = (290, 230) if swapped else (230, 290)
    legs = [beside(4, 102, ends[0]), beside(5, 103, ends[1])]
    assert tools(*both, *legs) == [2, 3]
    assert tools(*both, *legs, beside(6, 150, 160)) == [2, 3, 4, 5, 6]


def test_a_tool_with_more_legs_than_it_does_not_take_those_of_an_earlier_one() -> None:
    named = openinference("TOOL", **{"tool.name": "b"})
    both = [make_span(2, 1, named, start=100, end=200), make_span(3, 1, named, start=500, end=700)]
    legs = [beside(4, 110, 190), beside(5, 510, 550), beside(6, 600, 650)]
    assert tools(*both, *legs) == [2, 3, 5, 6]


def test_a_leg_below_another_tool_is_no_call_of_the_tool_beside() -> None:
    tool, other = wrapper(2, 1, "b", end=100), wrapper(3, 1, "a", end=100)
    assert tools(tool, other, leg(4, 3, "Client", start=10, end=20)) == [2, 3, 4]


def alone(*spans: Span) -> Trajectory:
    return extract_spans(*spans)


def test_a_servers_call_whose_caller_is_elsewhere_is_no_step() -> None:
    trajectory = alone(leg(1, 0, "Server"))
    assert verdict(trajectory, 1).rule == "mcp.far_side_alone"
    assert trajectory.root_type is Kind.OTHER
    below_http = alone(make_span(1, 0, {}, end=20)._replace(kind="Server"), leg(2, 1, "Server"))
    assert below_http.step_counts["tool"] == 0


def test_an_agent_that_ran_in_it_is_one() -> None:
    agent = make_span(2, 1, genai("invoke_agent", agent__name="expert"), start=1, end=9)
    trajectory = alone(leg(1, 0, "Server"), agent)
    assert (trajectory.step_counts["tool"], trajectory.step_counts["agent"]) == (0, 1)


def test_a_clients_call_of_an_application_is_a_step() -> None:
    chat = make_span(1, 0, {}, name="POST /chat", end=50)
    assert owners(alone(chat, leg(2, 1, "Client"), leg(3, 2, "Server"))) == {1: [2]}
    assert alone(leg(1, 0, "Client"), leg(2, 1, "Server")).step_counts["tool"] == 0


def test_many_legs_take_linear_time() -> None:
    """Walking from each span up to the root would take quadratic time."""

    def extract(number: int) -> None:
        noise = [make_span(n, n - 1, start=n) for n in range(2, number)]
        deep = [leg(number + n, n, "Client", f"t{n}", start=n) for n in range(2, number)]
        named = openinference("TOOL", **{"tool.name": "b"})
        flat = [make_span(2 * number + n, 1, named, start=n, end=n + 5) for n in range(number)]
        legs = [leg(3 * number + n, 1, "Client", start=n + 1, end=n + 2) for n in range(number)]
        tools(*noise, *deep)
        tools(*flat, *legs)

    assert_linear(extract, 6_000)


def test_tools_of_one_instrumentation_in_one_of_their_name_are_runs_of_their_own() -> None:
    """OpenInference reports a server's functions this way, below a framework's span of the tool."""
    named = openinference("TOOL", **{"tool.name": "b"})
    once, again = (make_span(n, 2, named, start=n * 10, end=n * 10 + 5) for n in (3, 4))
    other = make_span(5, 2, named, start=31, end=34, scope="other")
    assert tools(wrapper(2, 1), once) == [2]
    assert tools(wrapper(2, 1), once, other) == [2]
    assert tools(wrapper(2, 1), once, again) == [2, 3, 4]
