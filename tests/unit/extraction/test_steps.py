"""Each step is owned by the nearest agent above it, or by the root if there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.growth import assert_linear
from tests.support.spans import (
    chat,
    extract_spans,
    genai,
    make_span,
    owners,
    sid,
    step_types,
    verdict,
)

from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.model.span import Span


def agent(number: int, parent: int = 0, start: float = 0) -> Span:
    said = genai("invoke_agent", agent__name=f"planner {number}")
    return make_span(number, parent, said, start=start, end=1000)


def call(number: int, parent: int, start: float = 0, tokens: int = 1) -> Span:
    return make_span(number, parent, chat(tokens, tokens), start=start)


def tool(number: int, parent: int, start: float = 0) -> Span:
    return make_span(number, parent, genai("execute_tool"), start=start)


def test_an_agent_owns_everything_below_it_through_noise() -> None:
    trajectory = extract_spans(
        agent(1), make_span(2, 1), make_span(3, 2), call(4, 3, 1), tool(5, 2, 2)
    )
    assert owners(trajectory) == {1: [4, 5]}
    assert [s.parent_id for s in trajectory.agent_steps[0].steps] == [sid(1), sid(1)]
    assert trajectory.agent_steps[0].steps[0].metadata["parent_span_id"] == sid(3)


def test_a_nested_agent_is_a_step_and_an_owner() -> None:
    spans = [agent(1), call(2, 1, 1), tool(3, 1, 2), agent(4, 3, 3), call(5, 4, 4), call(6, 1, 9)]
    trajectory = extract_spans(*spans)
    assert owners(trajectory) == {1: [2, 3, 4, 6], 4: [5]}
    nested = trajectory.agent_steps[0].steps[2]
    assert (nested.type, nested.parent_id) == (StepType.AGENT, sid(3))
    assert nested == trajectory.agent_steps[1].step
    assert trajectory.agent_steps[1].step.metadata["agent_name"] == "planner 4"


def test_graphs_hold_steps_but_own_none() -> None:
    inner = make_span(2, 1, genai("invoke_workflow", workflow__name="loop"), start=1)
    assert owners(extract_spans(agent(1), inner, call(3, 2, 2))) == {1: [2, 3]}


def test_a_root_that_is_no_agent_owns_what_no_agent_owns() -> None:
    trajectory = extract_spans(
        make_span(1), call(2, 1, 1), agent(3, 1, 2), call(4, 3, 3), tool(5, 1, 9)
    )
    assert owners(trajectory) == {1: [2, 3, 5], 3: [4]}
    assert trajectory.root_type is Kind.OTHER
    assert 1 not in step_types(trajectory)


def test_a_root_without_steps_of_its_own_still_owns_its_agents() -> None:
    assert owners(extract_spans(make_span(1), agent(2, 1), call(3, 2))) == {1: [2], 2: [3]}


def test_an_agent_without_steps_is_an_agent() -> None:
    assert owners(extract_spans(agent(1))) == {1: []}


def test_a_trace_without_steps_has_no_agents() -> None:
    trajectory = extract_spans(make_span(1, name="GET /"), make_span(2, 1))
    assert trajectory.agent_steps == []
    assert trajectory.root.name == "GET /"
    assert trajectory.step_counts["other"] == 2


def test_a_bare_call_owns_itself() -> None:
    trajectory = extract_spans(call(1, 0))
    assert owners(trajectory) == {1: [1]}
    assert (trajectory.root_type, trajectory.root.parent_id) == (Kind.MODEL, "")
    assert trajectory.root_metrics.input_tokens == 1


def test_several_bare_calls_stand_under_the_earliest() -> None:
    trajectory = extract_spans(call(3, 0, 2), call(1, 0, 1), call(2, 0, 1))
    assert owners(trajectory) == {1: [1, 2, 3]}
    assert trajectory.root_metrics.input_tokens == 3


def test_several_agents_without_a_common_root_each_own_their_steps() -> None:
    trajectory = extract_spans(agent(1), call(2, 1), agent(3, 0, 5), call(4, 3, 6))
    assert owners(trajectory) == {1: [2, 3], 3: [4]}


def test_orphans_belong_to_the_root() -> None:
    trajectory = extract_spans(agent(1), call(2, 99), make_span(3, 98), call(4, 3, 2))
    assert owners(trajectory) == {1: [2, 4]}
    assert trajectory.agent_steps[0].steps[0].metadata["parent_span_id"] == sid(99)


def test_steps_and_agents_stand_in_order() -> None:
    early, late = call(9, 1, 1), call(2, 1, 1)._replace(end_ns=call(2, 1, 5).end_ns)
    trajectory = extract_spans(
        agent(1), late, early, agent(8, 1, 3), agent(7, 1, 3), call(3, 7), call(4, 8)
    )
    assert owners(trajectory) == {1: [9, 2, 7, 8], 7: [3], 8: [4]}
    assert [a.step.id for a in trajectory.agent_steps] == [sid(1), sid(7), sid(8)]


def test_what_stands_below_a_second_report_belongs_to_the_step() -> None:
    trajectory = extract_spans(
        agent(1), call(2, 1, 1), make_span(3, 2, chat(), scope="client"), tool(4, 3, 2)
    )
    assert trajectory.agent_steps[0].steps[1].parent_id == sid(2)
    assert verdict(trajectory, 3).step_id == sid(2)


def test_usage_of_agents_and_graphs_is_never_counted() -> None:
    usage = {"gen_ai.usage.input_tokens": "500", "gen_ai.usage.output_tokens": "500"}
    run = agent(1)._replace(attributes={**agent(1).attributes, **usage})
    graph = make_span(2, 1, {**genai("invoke_workflow"), **usage})
    trajectory = extract_spans(run, graph, call(3, 2, 1, tokens=7))
    assert trajectory.root_metrics.input_tokens == 7
    assert trajectory.agent_steps[0].step.usage is None


def test_agents_20_000_deep_are_owned_in_linear_time() -> None:
    def extract(depth: int) -> None:
        trajectory = extract_spans(
            *(make_span(n, n - 1, genai("invoke_workflow")) for n in range(1, depth)),
            call(depth, depth - 1),
        )
        assert sum(len(a.steps) for a in trajectory.agent_steps) == depth - 1

    assert_linear(extract, 20_000)
