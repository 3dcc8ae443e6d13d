"""A model call, tool or retrieval becomes one step, however many spans report it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.growth import assert_linear
from tests.support.spans import (
    chat,
    extract_spans,
    genai,
    make_span,
    openinference,
    owners,
    raised,
    sid,
    step_types,
    verdict,
)

from spanloom.core.model.message import make_message
from spanloom.core.model.step import Step, Usage
from spanloom.core.model.trajectory import Kind, Trajectory

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

AGENT = make_span(1, 0, genai("invoke_agent"), end=100)
WRAPPER = "once.wraps_several_calls"


def asked(text: str) -> str:
    """Return the input of a model call whose only message is the user's text."""
    return make_message(text, "user")


def answered(text: str) -> str:
    return make_message(text, "assistant")


def step(trajectory: Trajectory, number: int) -> Step:
    return next(s for a in trajectory.agent_steps for s in a.steps if s.id == sid(number))


def models(*spans: Span) -> list[int]:
    """Return the span numbers of the model steps below an agent."""
    types = step_types(extract_spans(AGENT, *spans))
    return [number for number, kind in types.items() if kind == "model"]


def test_a_call_inside_a_call_is_the_same_call() -> None:
    outer = make_span(2, 1, {**chat(request__model="gpt"), "gen_ai.input.messages": "[1]"}, start=1)
    inner = make_span(
        3,
        2,
        {**chat(7, 3, response__id="r1"), "gen_ai.output.messages": "[2]"},
        start=2,
        scope="client",
    )
    trajectory = extract_spans(AGENT, outer, inner)
    call = step(trajectory, 2)
    assert (call.input, call.output) == (asked("[1]"), answered("[2]"))
    assert (call.model, call.usage) == ("gpt", Usage(7, 3))
    assert call.metadata["merged_span_ids"] == sid(3)
    assert call.metadata["response_id"] == "r1"
    assert verdict(trajectory, 3).step_id == sid(2)
    assert trajectory.step_counts == {"agent": 1, "model": 1, "tool": 0, "graph": 0, "other": 1}


def test_what_the_outer_span_knows_is_kept() -> None:
    outer = make_span(2, 1, {**chat(7, 3, request__model="a"), "gen_ai.output.messages": "[1]"})
    inner = make_span(3, 2, {**chat(9, 9, request__model="b"), "gen_ai.output.messages": "[2]"})
    call = step(extract_spans(AGENT, outer, inner), 2)
    assert (call.output, call.model, call.usage) == (answered("[1]"), "a", Usage(7, 3))


def test_an_error_of_the_inner_report_is_the_call_s() -> None:
    inner = make_span(3, 2, chat(), status="Error", message="status: 500")
    call = step(extract_spans(AGENT, make_span(2, 1, chat()), inner), 2)
    assert call.error is not None
    assert call.error.code == 500


def test_an_error_without_a_code_has_the_inner_report_s() -> None:
    outer = make_span(2, 1, chat(), start=1, events=[raised("E", "server failed", at=2)])
    inner = make_span(3, 2, chat(), start=2, events=[raised("E", "Error code: 500", at=2)])
    error = step(extract_spans(AGENT, outer, inner), 2).error
    assert error is not None
    assert (error.code, error.message) == (500, "server failed")


def test_noise_between_changes_nothing() -> None:
    chain = make_span(3, 2)
    assert models(make_span(2, 1, chat()), chain, make_span(4, 3, chat(5, 5))) == [2]


def test_a_chain_of_reports_is_one_call() -> None:
    assert models(*(make_span(n, n - 1, chat(), scope=str(n)) for n in range(2, 9))) == [2]


def test_a_deep_chain_of_reports_takes_linear_time() -> None:
    """Walking from each span up to the root would take quadratic time."""

    def extract(depth: int) -> None:
        spans = [make_span(n, n - 1, chat(), scope=str(n)) for n in range(1, depth)]
        assert extract_spans(*spans).step_counts["model"] == 1

    assert_linear(extract, 20_000)


def test_a_tool_between_makes_two_calls_of_it() -> None:
    tool = make_span(3, 2, genai("execute_tool"))
    assert models(make_span(2, 1, chat()), tool, make_span(4, 3, chat(5, 5))) == [2, 4]


def test_a_call_that_begins_when_the_one_it_stands_in_is_over_is_another() -> None:
    """MLflow leaves the span of a failed call current, so the next call's span is its child."""
    failed = make_span(2, 1, chat(1, 1), start=1, end=5)
    assert models(failed, make_span(3, 2, chat(2, 2), start=5)) == [2, 3]
    assert models(failed, make_span(3, 2, chat(2, 2), start=4)) == [2]
    by_a_skewed_clock = make_span(3, 2, chat(1, 1), start=5, scope="client")
    assert models(failed, by_a_skewed_clock) == [2]


def test_a_span_around_several_calls_is_a_wrapper() -> None:
    calls = [make_span(3, 2, chat(1, 1), start=1), make_span(4, 2, chat(2, 2), start=2)]
    trajectory = extract_spans(AGENT, make_span(2, 1, chat(), start=1), *calls)
    assert verdict(trajectory, 2)[3:7] == (Kind.OTHER, None, "otel_genai", WRAPPER)
    assert trajectory.step_counts["model"] == 2
    assert trajectory.root_metrics.input_tokens == 3


def test_a_span_with_usage_around_several_reports_is_the_call() -> None:
    assert models(
        make_span(2, 1, chat(9, 9)), make_span(3, 2, chat(4, 4)), make_span(4, 2, chat(5, 5))
    ) == [2]


def test_wrappers_inside_wrappers_leave_the_calls() -> None:
    spans = [
        make_span(2, 1, chat()),
        make_span(3, 2, chat()),
        make_span(4, 3, chat(1, 1)),
        make_span(5, 3, chat(2, 2)),
    ]
    assert models(*spans) == [4, 5]
    assert models(*spans, make_span(6, 2, chat(3, 3))) == [4, 5, 6]


def test_calls_in_a_wrapper_inside_a_call_belong_to_the_call() -> None:
    spans = [
        make_span(2, 1, chat(3, 3)),
        make_span(3, 2, chat()),
        make_span(4, 3, chat(1, 1)),
        make_span(5, 3, chat(2, 2)),
    ]
    trajectory = extract_spans(AGENT, *spans)
    assert trajectory.root_metrics.input_tokens == 3
    assert [verdict(trajectory, n).step_id for n in (2, 3, 4, 5)] == [sid(2), None, sid(2), sid(2)]


def framework(number: int, attributes: dict[str, str], start: float, end: float) -> Span:
    return make_span(number, 1, attributes, start=start, end=end, scope="framework")


def client(number: int, attributes: dict[str, str], start: float, end: float) -> Span:
    return make_span(number, 1, attributes, start=start, end=end, scope="client")


def test_a_client_s_call_beside_the_framework_s_is_the_same_call() -> None:
    assert models(framework(2, chat(7, 3), 1, 9), client(3, chat(7, 3), 2, 8)) == [2]
    assert models(framework(2, chat(), 1, 9), client(3, chat(7, 3), 1, 9)) == [2]


def test_a_count_that_one_side_leaves_out_does_not_make_two_calls() -> None:
    assert models(framework(2, chat(7, 3), 1, 9), client(3, chat(0, 3), 2, 8)) == [2]
    assert models(framework(2, chat(7, 3), 1, 9), client(3, chat(7, 0), 2, 8)) == [2]
    assert sorted(models(framework(2, chat(7, 3), 1, 9), client(3, chat(0, 4), 2, 8))) == [2, 3]


def test_clocks_of_whole_milliseconds_may_make_the_inner_call_seem_longer() -> None:
    inner = client(2, chat(7, 3), 1, 9.4)
    assert models(framework(3, chat(7, 3), 1, 10), inner) == [3]  # whichever span id is lower
    assert models(framework(3, chat(7, 3), 1, 9), client(4, chat(7, 3), 2, 9.4)) == [3]
    assert sorted(models(framework(3, chat(7, 3), 1, 9), client(4, chat(), 2, 9.4))) == [3, 4]
    assert sorted(models(framework(3, chat(7, 3), 1, 9), client(4, chat(7, 3), 8.9, 9.4))) == [3, 4]


@pytest.mark.parametrize(
    ("attributes", "start", "end"),
    [
        (chat(7, 3), 30, 40),  # begins after the other has ended
        (chat(7, 4), 2, 8),  # has other tokens
        (chat(7, 3, response__id="b"), 2, 8),  # has another response id
    ],
)
def test_another_call_beside_it_is_another(
    attributes: dict[str, str], start: float, end: float
) -> None:
    outer = framework(2, chat(7, 3, response__id="a"), 1, 9)
    assert sorted(models(outer, client(3, attributes, start, end))) == [2, 3]


def test_the_response_id_decides_before_the_tokens() -> None:
    outer = framework(2, chat(7, 3, response__id="a"), 1, 9)
    assert models(outer, client(3, chat(8, 8, response__id="a"), 2, 8)) == [2]


def test_a_client_may_leave_cached_tokens_out_of_its_input() -> None:
    """The Anthropic SDK's own span leaves them out, while OpenLLMetry's span includes them."""
    cached = chat(100, 9, usage__cache_read__input_tokens=60, usage__cache_creation_input_tokens=10)
    outer = framework(2, cached, 1, 9)
    net = client(3, chat(30, 9), 2, 8)
    assert models(outer, net) == [2]
    assert step(extract_spans(AGENT, outer, net), 2).usage == Usage(100, 9, 0, 60, 10)
    assert models(outer, client(3, chat(29, 9), 2, 8)) == [2, 3]


def test_calls_of_one_instrumentation_are_never_merged_side_by_side() -> None:
    assert models(framework(2, chat(7, 3), 1, 9), framework(3, chat(7, 3), 2, 8)) == [2, 3]


def test_a_failed_report_matches_a_failed_call_only() -> None:
    failed = client(3, chat(), 2, 8)._replace(status_code="Error", events=[raised("Timeout")])
    assert models(framework(2, chat(), 1, 9), failed) == [2, 3]
    assert models(framework(2, chat(), 1, 9)._replace(status_code="Error"), failed) == [2]


def test_parallel_calls_are_paired_each_with_one() -> None:
    outer = [framework(n, chat(5, 5), n, 20 + n) for n in (2, 3, 4)]
    inner = [client(n, chat(5, 5), n, n + 1) for n in (12, 13, 14)]
    trajectory = extract_spans(AGENT, *outer, *inner)
    assert trajectory.step_counts["model"] == 3
    assert {verdict(trajectory, n).step_id for n in (12, 13, 14)} == {sid(n) for n in (2, 3, 4)}


def tool(number: int, parent: int, name: str) -> Span:
    return make_span(number, parent, genai("execute_tool", tool__name=name), start=number)


def test_a_retriever_inside_a_tool_is_part_of_it() -> None:
    retriever = make_span(3, 2, genai("retrieval"), start=3)
    trajectory = extract_spans(AGENT, tool(2, 1, "search"), retriever)
    assert step_types(trajectory) == {1: "agent", 2: "tool"}
    assert verdict(trajectory, 3).step_id == sid(2)
    assert step(trajectory, 2).metadata.get("tool_kind") is None


def test_what_a_retriever_inside_a_tool_found_stays_with_the_tool() -> None:
    own = make_span(2, 1, openinference("TOOL", tool__name="search", output__value="two"), start=2)
    found = [
        make_span(n, 2, openinference("RETRIEVER", output__value=f"doc {n}"), start=n)
        for n in (3, 4)
    ]
    told = step(extract_spans(AGENT, own, *found), 2)
    assert (told.output, told.metadata["documents"]) == ("two", "doc 3\ndoc 4")
    silent = make_span(2, 1, openinference("TOOL", tool__name="search"), start=2)
    told = step(extract_spans(AGENT, silent, found[0]), 2)
    assert (told.output, told.metadata.get("documents")) == ("doc 3", None)


def test_an_embedding_inside_a_retriever_inside_a_tool_is_part_of_the_tool() -> None:
    inner = [make_span(3, 2, genai("retrieval")), make_span(4, 3, genai("embeddings"))]
    trajectory = extract_spans(AGENT, tool(2, 1, "search"), *inner)
    assert verdict(trajectory, 4).step_id == sid(2)


def test_a_tool_that_calls_another_tool_is_two_steps() -> None:
    assert step_types(extract_spans(AGENT, tool(2, 1, "a"), tool(3, 2, "b")))[3] == "tool"
    assert step_types(extract_spans(AGENT, tool(2, 1, "a"), tool(3, 2, "a")))[3] == "tool"


def test_one_tool_in_two_dialects_is_one_step() -> None:
    second = make_span(3, 2, openinference("TOOL", tool__name="a"))
    assert 3 not in step_types(extract_spans(AGENT, tool(2, 1, "a"), second))
    other = make_span(3, 2, openinference("TOOL", tool__name="b"))
    assert 3 in step_types(extract_spans(AGENT, tool(2, 1, "a"), other))


def test_data_access_of_an_agent_inside_a_tool_is_its_own_step() -> None:
    inner = [
        make_span(3, 2, genai("invoke_agent")),
        make_span(4, 3, genai("retrieval")),
        make_span(5, 3, chat()),
    ]
    assert step_types(extract_spans(AGENT, tool(2, 1, "a"), *inner))[4] == "tool"


def test_embeddings_alone_are_no_steps() -> None:
    trajectory = extract_spans(make_span(1), make_span(2, 1, genai("embeddings")))
    assert verdict(trajectory, 2)[3:7] == (Kind.OTHER, None, "otel_genai", "once.embedding_alone")
    assert trajectory.agent_steps == []


def test_an_embedding_alone_reported_twice_is_no_step_either() -> None:
    trajectory = extract_spans(
        make_span(1, 0, genai("embeddings")), make_span(2, 1, genai("embeddings"))
    )
    assert trajectory.agent_steps == []
    assert trajectory.step_counts == {"agent": 0, "model": 0, "tool": 0, "graph": 0, "other": 2}


def test_an_embedding_beside_a_call_is_a_step() -> None:
    types = step_types(
        extract_spans(AGENT, make_span(2, 1, genai("embeddings")), make_span(3, 1, chat()))
    )
    assert types == {1: "agent", 2: "tool", 3: "model"}


def test_messages_are_richer_than_another_text() -> None:
    outer = make_span(
        2, 1, {**chat(), "gen_ai.input.messages": "repr", "gen_ai.output.messages": "x"}
    )
    inner = make_span(3, 2, {**chat(), "gen_ai.input.messages": '[{"role":"user"}]'})
    call = step(extract_spans(AGENT, outer, inner), 2)
    assert (call.input, call.output) == ('[{"role":"user","content":""}]', answered("x"))


def test_a_tool_s_own_text_stays_before_another_report_s_list() -> None:
    said = {"gen_ai.tool.name": "t", "gen_ai.tool.call.result": "sunny"}
    wrapped = openinference("TOOL", tool__name="t", output__value='[{"text":"sunny"}]')
    outer = make_span(2, 1, genai("execute_tool") | said)
    tool = step(extract_spans(AGENT, outer, make_span(3, 2, wrapped)), 2)
    assert tool.output == "sunny"


def test_an_author_s_mark_and_the_framework_s_tell_one_agent() -> None:
    marked = {"langfuse.observation.type": "agent"}
    spans = [
        make_span(1, 0, marked, name="planner"),
        make_span(2, 1, genai("invoke_agent", agent__name="planner"), start=1),
        make_span(3, 2, genai("chat"), start=2),
    ]
    assert owners(extract_spans(*spans)) == {1: [3]}
    other = make_span(2, 1, genai("invoke_agent", agent__name="writer"), start=1)
    assert owners(extract_spans(spans[0], other, spans[2])) == {1: [2], 2: [3]}
