"""Keys of model calls and tools are equal for two reports of one call, in whatever format."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.duplicates.keys import make_call_key, make_tool_key, sought_key
from spanloom.core.messages.steps import read_output
from spanloom.core.model.step import Step, StepError, StepType, Usage

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


def ran(arguments: str, name: str, kind: str = "") -> Step:
    metadata = {"tool_kind": kind} if kind else {}
    return Step("a", "", StepType.TOOL, name, 0, 9, input=arguments, metadata=metadata)


def tool_key(arguments: str, name: str = "weather", kind: str = "") -> str:
    return make_tool_key(ran(arguments, name, kind), is_alone=False)


@pytest.mark.parametrize(
    "same",
    [
        ["Oslo", '{"city":"Oslo"}', '{ "city": "Oslo" }', "{'city': 'Oslo'}", '"Oslo"'],
        ["5", '{"days": 5}', '{"days": "5"}'],
        ['{"city":"Oslo","days":2}', '{"days": 2, "city": "Oslo"}'],
        ["", "{}"],
    ],
    ids=["one text", "one number", "two", "none"],
)
def test_every_form_of_a_tools_arguments_gives_the_same_key(same: list[str]) -> None:
    assert len({tool_key(arguments) for arguments in same}) == 1


def test_tools_of_another_name_or_other_arguments_are_others() -> None:
    told = [("Oslo",), ("Bergen",), ("Oslo", "forecast"), ('{"city":"Oslo","days":2}',), ("",)]
    assert len({tool_key(*one) for one in told}) == len(told)


def test_a_retrieval_is_known_by_its_query() -> None:
    by_class = tool_key("refunds?", "HandbookRetriever", kind="retrieval")
    assert by_class == tool_key('{"query": "refunds?", "tags": []}', "retrieval", kind="retrieval")
    assert by_class != tool_key("orders?", "HandbookRetriever", kind="retrieval")
    assert tool_key("", "HandbookRetriever", kind="retrieval") == ""
    assert tool_key('["a text"]', "embed", kind="embedding") == ""


def test_a_torn_off_tool_and_that_of_a_run_look_for_each_other() -> None:
    in_run, alone = (
        make_tool_key(ran("Oslo", "weather"), is_alone=is_alone) for is_alone in (False, True)
    )
    assert in_run != alone
    assert (sought_key(in_run), sought_key(alone)) == (alone, in_run)
    call = make_call_key(answered("Rome"))
    assert sought_key(call) == call


@given(json_values)
def test_any_arguments_have_a_key(arguments: object) -> None:
    assert tool_key(json.dumps(arguments))
