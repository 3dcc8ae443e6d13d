"""Each failure of a run is listed once, with whether the run recovered from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, raised, sid, verdict

from spanloom.core.model.step import explained, with_type
from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span

AGENT = genai("invoke_agent")
TOOL = genai("execute_tool", tool__name="weather")


def failing(
    number: int,
    parent: int,
    attributes: Mapping[str, str] | None = None,
    *,
    start: float = 0,
    scope: str = "tests",
) -> Span:
    """Return a span that ended in ``KeyError: 'city'``."""
    events = [raised("builtins.KeyError", "'city'")]
    return make_span(
        number, parent, attributes, status="Error", events=events, start=start, scope=scope
    )


def test_a_failure_counts_where_it_happened_and_not_where_it_was_passed_on() -> None:
    built = extract_spans(failing(1, 0, AGENT), failing(2, 1), failing(3, 2, TOOL))
    [failure] = built.failures
    assert (failure.span_id, failure.step_id, failure.recovered) == (sid(3), sid(3), False)
    assert (failure.error.type, failure.error.message) == ("KeyError", "KeyError: 'city'")
    assert built.outcome is Outcome.FAILED


def test_an_agent_that_reads_the_error_of_its_tool_and_goes_on_has_recovered() -> None:
    built = extract_spans(
        make_span(1, 0, AGENT), failing(2, 1, TOOL), make_span(3, 1, chat(7, 3), start=15)
    )
    assert [failure.recovered for failure in built.failures] == [True]
    assert built.outcome is Outcome.RECOVERED
    assert not built.has_error


def test_the_failed_attempt_of_a_node_is_told_by_the_step_around_it() -> None:
    built = extract_spans(
        make_span(1, 0, AGENT, end=40), failing(2, 1), make_span(3, 1, start=20, name="again")
    )
    [failure] = built.failures
    assert (failure.span_id, failure.step_id, failure.recovered) == (sid(2), sid(1), True)
    assert built.root.error is None
    told = verdict(built, 2).error
    assert told is not None
    assert told.type == "KeyError"


def test_a_failure_is_not_recovered_where_what_is_around_it_failed_for_another_reason() -> None:
    built = extract_spans(
        make_span(1, 0, AGENT, status="Error", message="out of turns"), failing(2, 1, TOOL)
    )
    assert [(f.span_id, f.recovered) for f in built.failures] == [(sid(1), False), (sid(2), False)]
    assert built.outcome is Outcome.FAILED


@pytest.mark.parametrize("apart", [0.5, 3])
def test_what_two_tell_of_the_same_node_is_one_failure(apart: float) -> None:
    built = extract_spans(
        make_span(1, 0, AGENT, end=40),
        failing(2, 1, scope="one"),
        failing(3, 1, scope="another", start=apart),
    )
    assert len(built.failures) == 1


def test_two_attempts_that_fail_alike_are_two_failures() -> None:
    first, second = failing(2, 1), failing(3, 1, start=11)
    assert len(extract_spans(make_span(1, 0, AGENT, end=40), first, second).failures) == 2


def test_a_call_that_two_spans_tell_fails_once() -> None:
    inner = failing(3, 2, chat(), scope="client")
    built = extract_spans(failing(1, 0, AGENT), failing(2, 1, chat()), inner)
    assert [(f.span_id, f.step_id) for f in built.failures] == [(sid(3), sid(2))]
    assert built.outcome is Outcome.FAILED


def test_a_run_without_failures_is_ok() -> None:
    assert extract_spans(make_span(1, 0, AGENT)).outcome is Outcome.OK


def test_a_failure_that_nothing_follows_is_recovered_only_if_the_run_has_an_answer() -> None:
    agent = {"gen_ai.output.messages": '[{"role": "assistant", "content": "sorry"}]'}
    for attributes, recovered in ((AGENT, False), (AGENT | agent, True)):
        [failure] = extract_spans(make_span(1, 0, attributes), failing(2, 1, TOOL)).failures
        assert failure.recovered is recovered


def test_a_failure_without_length_is_not_its_own_successor() -> None:
    last = make_span(2, 1, TOOL, status="Error", message="no such city", start=8, end=8)
    [failure] = extract_spans(make_span(1, 0, AGENT), last).failures
    assert not failure.recovered


def test_a_failure_below_a_lost_span_is_recovered_like_any_other() -> None:
    agent = {"gen_ai.output.messages": '[{"role": "assistant", "content": "sorry"}]'}
    [failure] = extract_spans(make_span(1, 0, AGENT | agent), failing(2, 9, TOOL)).failures
    assert failure.recovered


def test_the_words_of_the_outer_span_stay_where_the_inner_one_tells_nothing() -> None:
    agent = make_span(1, 0, AGENT, status="Error", message="agent timeout")
    built = extract_spans(agent, make_span(2, 1, TOOL, status="Error"))
    assert "agent timeout" in [failure.error.message for failure in built.failures]


def test_a_failure_is_told_with_the_type_that_any_report_of_it_knows() -> None:
    words = make_span(2, 1, TOOL, status="Error", message="'city'", scope="words alone")
    [failure] = extract_spans(make_span(1, 0, AGENT), words, failing(3, 1, TOOL)).failures
    assert failure.span_id == sid(2)
    assert (failure.error.type, failure.error.message) == ("KeyError", "KeyError: 'city'")


def test_a_failure_is_told_by_the_report_that_has_words() -> None:
    outer = make_span(1, 0, {**chat(), "error.type": "Overloaded"}, status="Error", message="busy")
    inner = make_span(2, 1, {**chat(), "error.type": "api_error"}, status="Error", scope="client")
    [failure] = extract_spans(outer, inner).failures
    assert (failure.error.type, failure.error.message) == ("Overloaded", "busy")


def test_a_node_beside_the_call_that_failed_in_it_is_the_same_failure() -> None:
    call, node = failing(2, 1, chat(), scope="one"), failing(3, 1, start=-1, scope="another")
    built = extract_spans(make_span(1, 0, AGENT, end=40), call, node._replace(end_ns=call.end_ns))
    assert [f.span_id for f in built.failures] == [sid(2)]


def test_an_answer_that_another_report_of_the_root_tells_is_the_run_s() -> None:
    scope, run = (
        "openlit.instrumentation.langgraph",
        genai("invoke_workflow", workflow__name="trip"),
    )
    for told, recovered in (("sorry", True), ("", False)):
        twin = make_span(2, 1, {**run, "gen_ai.workflow.output": told}, scope=scope)
        spans = [make_span(1, 0, run, scope=scope), twin, failing(3, 2, TOOL)]
        [failure] = extract_spans(*spans).failures
        assert failure.recovered is recovered


def test_what_langchain_answers_for_a_refused_call_is_no_answer() -> None:
    said = {**chat(), "gen_ai.output.messages": '[{"role": "assistant", "content": ""}]'}
    for attributes, shown in ((said, ""), (said | {"gen_ai.output.messages": "Ro"}, "Ro")):
        [step] = extract_spans(failing(1, 0, attributes)).agent_steps[0].steps
        assert (shown in step.output, bool(step.output)) == (True, bool(shown))


def test_an_agent_of_agno_says_nothing_of_its_own() -> None:
    agent = make_span(1, 0, AGENT, status="Error", message="run status: error")
    [failure] = extract_spans(agent, failing(2, 1, chat())).failures
    assert failure.span_id == sid(2)


@pytest.mark.parametrize(
    ("kind", "message", "shown"),
    [
        ("KeyError", "'city'", "KeyError: 'city'"),
        ("KeyError", "5", "KeyError: 5"),
        ("KeyError", "KeyError: 'city'", "KeyError: 'city'"),
        ("KeyError", "", ""),
        ("my.LookupError", '"city"', 'my.LookupError: "city"'),
        ("ValueError", "'a' is not 'b'", "'a' is not 'b'"),
        ("ValueError", "no such city", "no such city"),
        ("", "'city'", "'city'"),
    ],
)
def test_a_message_that_is_only_an_argument_says_its_type(
    kind: str, message: str, shown: str
) -> None:
    assert explained(message, kind) == shown


@pytest.mark.parametrize(
    ("message", "kind", "shown"),
    [
        ("'city'", "KeyError", "KeyError: 'city'"),
        ("KeyError: 'city'", "KeyError", "KeyError: 'city'"),
        ("openai.RateLimitError: slow", "RateLimitError", "openai.RateLimitError: slow"),
        ("a RateLimitError: slow", "RateLimitError", "RateLimitError: a RateLimitError: slow"),
        ("slow", "", "slow"),
    ],
)
def test_a_type_is_named_once(message: str, kind: str, shown: str) -> None:
    assert with_type(message, kind) == shown
