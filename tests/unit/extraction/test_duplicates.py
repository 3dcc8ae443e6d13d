"""A call that another trace reports again, found by content and time."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.spans import KEY, chat, extract_spans, genai, make_span, sid

from spanloom.core.extraction.reports.duplicates import find_original, list_calls, make_call_key
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Step, StepError, StepType, Usage
from spanloom.core.ports.building import ModelCall
from spanloom.core.reading.messages.steps import read_output

FRAMEWORK = """[{"role":"assistant","content":"Rome ",
    "tool_calls":[{"name":"f","arguments":"{ \\"city\\":1}"}]}]"""
CLIENT = """[{"role":"assistant","parts":[
    {"type":"reasoning","content":"hmm"},{"type":"text","content":"Rome"},
    {"type":"tool_call","id":"1","name":"f","arguments":{"city":1}}]}]"""


def answered(
    output: str = "", tokens: tuple[int, int] | None = (7, 3), error: StepError | None = None
) -> Step:
    usage = None if tokens is None else Usage(*tokens)
    return Step("a", "", StepType.MODEL, "chat", 0, 9, output=output, usage=usage, error=error)


def test_every_message_format_gives_the_same_key() -> None:
    framework, client = read_output(FRAMEWORK), read_output(CLIENT)
    assert framework != client
    key = make_call_key(answered(framework))
    assert key == make_call_key(answered(client))
    assert key == make_call_key(answered(read_output(f'{{"messages":{CLIENT}}}')))
    assert key != make_call_key(answered(framework, (7, 4)))
    counted = make_call_key(answered(framework, (7, 0)))
    assert counted != make_call_key(answered(framework.replace("Rome", "Oslo"), (7, 0)))
    assert counted != make_call_key(answered(framework.replace("city", "town"), (7, 0)))


def test_both_counts_are_evidence_enough_where_one_report_has_no_texts() -> None:
    assert make_call_key(answered("Rome")) == make_call_key(answered(""))


def test_an_answer_in_several_messages_is_the_same_answer() -> None:
    apart = '[{"role":"assistant","content":"Rome"},{"role":"assistant","tool_calls":[%s]}]'
    call = '{"function":{"name":"f","arguments":"{\\"city\\": 1}"}}'
    assert make_call_key(answered(read_output(apart % call))) == make_call_key(
        answered(read_output(CLIENT))
    )


@pytest.mark.parametrize("said", ["42", "true", "Rome", '"Rome"', "[unclosed", "-0.5"])
def test_a_bare_text_is_what_a_message_says(said: str) -> None:
    message = json.dumps([{"role": "assistant", "content": said}])
    assert make_call_key(answered(said)) == make_call_key(answered(message))


def test_answers_that_are_numbers_differ() -> None:
    assert make_call_key(answered("42", None)) != make_call_key(answered("43", None))


def test_without_tokens_the_error_then_the_text_is_the_evidence() -> None:
    failed = [answered(tokens=None, error=StepError(code, "m")) for code in (500, 500, 429)]
    keys = [make_call_key(step) for step in failed]
    assert keys[0] == keys[1] != keys[2]
    assert make_call_key(answered("Rome", (0, 0))) == make_call_key(answered("Rome", None)) != ""


def test_a_call_that_says_nothing_has_no_key() -> None:
    assert make_call_key(answered()._replace(usage=None)) == ""
    assert make_call_key(answered("", (0, 0))) == ""


@pytest.mark.parametrize(
    "output",
    [
        '[{"type":[],"content":"x"}]',
        '{"type":{"type":{}},"text":7,"name":null}',
        "[" * 1000 + "]" * 1000,
        '{"a":' * 1000 + "1" + "}" * 1000,
        "[" * 5000,
        '"\\ud800"',
    ],
)
def test_hostile_outputs_have_a_key_like_any_other(output: str) -> None:
    assert make_call_key(answered(output))


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "content", "text", "name", "arguments"]), inner, max_size=3
        )
    ),
)


@given(json_values)
def test_any_json_has_a_key(output: object) -> None:
    assert make_call_key(answered(json.dumps(output)))


def call(
    trace: int,
    start: int = 0,
    end: int = 10,
    *,
    bare: bool = False,
    key: str = "k",
    dialect: str = "a",
) -> ModelCall:
    return ModelCall(TraceKey("p", f"{trace:032x}"), sid(trace), key, start, end, bare, dialect)


def test_a_bare_call_repeats_the_shortest_call_that_encloses_it() -> None:
    others = [call(1, 0, 100), call(2, 1, 50), call(3, 0, 50), call(4, 5, 40)]
    assert find_original(call(9, 3, 40, bare=True), others) == others[1]
    assert find_original(call(9, 3, 40, bare=True), others[::-1]) == others[1]


def test_equally_short_originals_are_told_apart_by_their_ids() -> None:
    others = [call(5, 0, 50), call(4, 0, 50)]
    for order in (others, others[::-1]):
        assert find_original(call(9, 3, 40, bare=True), order) == others[1]


@pytest.mark.parametrize(
    "other",
    [
        call(1, 0, 30),
        call(1, 4, 50),
        call(1, 0, 50, key="other"),
        call(1, 0, 50, bare=True),
        call(9, 0, 50),
        call(1, 0, 50)._replace(key=TraceKey("elsewhere", "1" * 32)),
    ],
    ids=["ends before", "starts after", "says otherwise", "is bare", "same trace", "project"],
)
def test_other_calls_are_no_originals(other: ModelCall) -> None:
    assert find_original(call(9, 3, 40, bare=True), [other]) is None


def test_of_two_bare_reports_in_two_dialects_the_inner_one_repeats_the_outer() -> None:
    outer, inner = call(8, 0, 50, bare=True), call(2, 3, 40, bare=True, dialect="b")
    assert find_original(inner, [outer, inner]) == outer
    assert find_original(outer, [outer, inner]) is None


def test_of_two_bare_reports_of_equal_times_the_first_trace_is_the_original() -> None:
    one, other = call(1, bare=True), call(2, bare=True, dialect="b")
    assert find_original(other, [one, other]) == one
    assert find_original(one, [one, other]) is None


def test_bare_calls_of_one_dialect_or_an_unknown_one_are_two_calls() -> None:
    asked = call(1, 0, 50, bare=True, dialect="")
    for dialect in ("", "a"):
        again = call(2, 3, 40, bare=True, dialect=dialect)
        assert find_original(again, [asked, call(3, 0, 50, bare=True, dialect=dialect)]) is None


def test_a_framework_s_call_comes_before_a_bare_one() -> None:
    framework, wrapper = call(8, 0, 50), call(7, 2, 45, bare=True, dialect="b")
    assert find_original(call(9, 3, 40, bare=True), [wrapper, framework]) == framework


def test_a_bare_call_repeats_one_of_a_run_that_another_instrumentation_tells_beside_it() -> None:
    late = call(9, 2, 45, bare=True, dialect="b")
    assert find_original(late, [call(1, 0, 40)]) == call(1, 0, 40)
    assert find_original(late, [call(1, 0, 40, dialect="b")]) is None
    assert find_original(late, [call(1, 0, 40, bare=True)]) is None
    apart = call(9, 2, 10**9, bare=True, dialect="b")
    assert find_original(apart, [call(1, 0, 40)]) is None


def test_only_a_bare_call_repeats_another() -> None:
    assert find_original(call(9, 3, 40), [call(1, 0, 50)]) is None


def test_a_call_is_bare_if_it_is_all_there_is() -> None:
    bare = list_calls(extract_spans(make_span(1, 0, chat(7, 3)), make_span(2, 1)))
    assert [(c.key, c.step_id, c.is_bare) for c in bare] == [(KEY, sid(1), True)]
    two = list_calls(extract_spans(make_span(1, 0, chat(7, 3)), make_span(2, 0, chat(8, 3))))
    assert [c.is_bare for c in two] == [False, False]
    under_noise = list_calls(extract_spans(make_span(1), make_span(2, 1, chat(7, 3))))
    assert [c.is_bare for c in under_noise] == [False]


def test_calls_are_listed_once_and_only_with_evidence() -> None:
    spans = [
        make_span(1, 0, genai("invoke_agent")),
        make_span(2, 1, chat(7, 3)),
        make_span(3, 1, chat()),
        make_span(4, 1, genai("execute_tool")),
    ]
    assert [c.step_id for c in list_calls(extract_spans(*spans))] == [sid(2)]
