"""A call that another trace reports again is found by its content and time."""

from __future__ import annotations

import pytest
from tests.support.spans import KEY, chat, extract_spans, genai, make_span, sid

from spanloom.core.duplicates.keys import is_alone, is_tool
from spanloom.core.duplicates.traces import find_original, list_calls
from spanloom.core.model.message import make_message
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.calls import Call


def call(
    trace: int,
    start: int = 0,
    end: int = 10,
    *,
    bare: bool = False,
    key: str = "k",
    dialect: str = "a",
) -> Call:
    return Call(TraceKey("p", f"{trace:032x}"), sid(trace), key, start, end, bare, dialect)


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
        call(1, 0, 50)._replace(answer=8),
        call(1, 0, 50)._replace(answer=7, question=6),
    ],
    ids=[
        *("ends before", "starts after", "other counts", "is bare", "same trace", "project"),
        *("other answer", "other question"),
    ],
)
def test_other_calls_are_no_originals(other: Call) -> None:
    ours = call(9, 3, 40, bare=True)._replace(answer=7, question=5)
    assert find_original(ours, [other]) is None


def test_what_a_call_said_is_unknown_or_the_same() -> None:
    original = call(1, 0, 50)
    for answer, question in ((0, 0), (7, 0), (7, 5)):
        ours = call(9, 3, 40, bare=True)._replace(answer=answer, question=question)
        for other in (original, original._replace(answer=7), original._replace(question=5)):
            assert find_original(ours, [other]) == other


def test_calls_know_what_was_said_in_letters_and_digits() -> None:
    def listed(question: str, answer: str) -> tuple[int, int]:
        said = {
            "gen_ai.input.messages": make_message(question, "user"),
            "gen_ai.output.messages": make_message(answer, "assistant"),
        }
        [found] = list_calls(extract_spans(make_span(1, 0, {**chat(7, 3), **said})))
        return found.answer, found.question

    known = listed("Is it spam?", "No.")
    assert 0 not in known
    assert listed("is it  spam", "no") == known
    assert listed("Is it urgent?", "No.")[1] != known[1]
    assert listed("Is it spam?", "Yes.")[0] != known[0]
    assert listed("Is it spam?", "No, " * 40)[1] == 0
    assert listed("Is it spam?", "") == (0, 0)


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
    orphan = list_calls(extract_spans(make_span(1, 9, chat(7, 3))))
    assert [(c.step_id, c.is_bare) for c in orphan] == [(sid(1), True)], "no root was sent"
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
        make_span(5, 1, genai("retrieval")),
    ]
    assert [c.step_id for c in list_calls(extract_spans(*spans))] == [sid(2), sid(4)]


def test_a_call_knows_how_much_its_trace_tells() -> None:
    poor = [make_span(1, 0, genai("invoke_agent")), make_span(2, 1, chat(7, 3))]
    rich = [*poor, make_span(3, 1, {**genai("execute_tool"), "gen_ai.tool.call.result": "wet"})]
    extents = [list_calls(extract_spans(*spans))[0].extent for spans in (poor, rich)]
    assert [extent.tool_steps for extent in extents] == [0, 1]
    assert extents[1].richness == extents[0].richness + 1


def test_tools_are_alone_in_a_trace_that_calls_no_model() -> None:
    for above, alone in ((genai("invoke_agent"), True), (chat(7, 3), False)):
        spans = make_span(1, 0, above), make_span(2, 1, genai("execute_tool"))
        tools = [c for c in list_calls(extract_spans(*spans)) if is_tool(c.call_key)]
        assert [is_alone(c.call_key) for c in tools] == [alone]
