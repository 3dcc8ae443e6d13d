"""Text that is nearly JSON is read as JSON: cut off, encoded twice, or a Python repr."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spanloom.core.conventions import genai
from spanloom.core.messages.steps import (
    read_answer,
    read_input,
    read_output,
    read_request,
    show_texts,
)
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.model.message import find_answer
from spanloom.core.model.span import Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.bounds import watch_unread
from spanloom.core.values.cut_json import read_cut

MESSAGES = [
    {"role": "user", "content": 'It\'s "so" \\ 😀\n'},
    {"role": "assistant", "content": "Yes."},
]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('[{"role":"user","content":"Fix th', [{"role": "user", "content": "Fix th"}]),
        ('{"a":[1,2', {"a": [1]}),  # 2 may be the beginning of 20
        ('{"a":1,"b', {"a": 1}),
        ('{"a":1,"b":', {"a": 1}),
        ('{"a":"x","id":"c', {"a": "x"}),
        (r'{"a":"x\u00', {"a": "x"}),
        (r'{"a":"x\ud83d', {"a": "x"}),
        ('{"a":"x\\', {"a": "x"}),
        (r'{"a":"x\...[cut]', {"a": "x"}),
        ('[{"a":1}, ...[truncated, 80 characters]', [{"a": 1}]),
        ("{'a': None, 'b': 'it\\'s", {"a": None, "b": "it's"}),
        ('[{"role":"assis', []),
        ('{"messages":[{"role":"user","parts":[{"type":"te', {}),
        (r'"[{\"role', '[{"role'),
        ('{"a":1}', None),
        ('{"a":1} and more', None),
        ("[see the notes", None),
        ('{"a"]', None),
        ("plain", None),
        ("[" * 100, None),
    ],
)
def test_a_value_is_read_up_to_its_cut(text: str, value: object) -> None:
    assert (read_cut(text) or None) == (value or None)


def test_a_cut_conversation_is_marked_once_for_each_text() -> None:
    facts = Facts(input=json.dumps(MESSAGES)[:-10], output=json.dumps(MESSAGES[1:])[:-1])
    show_texts(facts, Kind.MODEL)
    assert json.loads(facts.input)[0] == MESSAGES[0]
    assert json.loads(facts.output) == MESSAGES[1:]
    assert facts.metadata == {"input_cut": "true", "output_cut": "true"}
    whole = Facts(input=json.dumps(MESSAGES), output="Yes.")
    show_texts(whole, Kind.MODEL)
    assert whole.metadata == {}


@pytest.mark.parametrize("kind", [Kind.AGENT, Kind.GRAPH])
def test_an_agent_is_asked_what_is_left_of_its_messages(kind: Kind) -> None:
    facts = Facts(input=json.dumps({"messages": MESSAGES[:1]})[:-1])
    show_texts(facts, kind)
    assert facts.input == MESSAGES[0]["content"]
    assert facts.metadata == {"input_cut": "true"}


def test_json_of_which_nothing_is_left_is_not_said_by_the_user() -> None:
    assert read_input('[{"role": "us') == ""
    assert read_input('{"city": "Ro') == '{"city": "Ro'


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_messages_that_were_encoded_several_times(layers: int) -> None:
    text = json.dumps(MESSAGES)
    for _ in range(layers):
        text = json.dumps(text)
    assert json.loads(read_input(text)) == MESSAGES
    assert json.loads(read_input(text[: -3 * layers]))[0] == MESSAGES[0]


def test_a_system_prompt_that_was_cut_off_does_not_hide_the_messages() -> None:
    attributes = {
        "gen_ai.system_instructions": '[{"type": "text", "content": "You pla',
        "gen_ai.input.messages": json.dumps(MESSAGES),
    }
    system = {"role": "system", "content": "You pla"}
    assert json.loads(read_input(genai.read_input(attributes))) == [system, *MESSAGES]


def test_messages_in_a_list_of_texts() -> None:
    assert json.loads(read_input(json.dumps([json.dumps(m) for m in MESSAGES]))) == MESSAGES


def test_messages_that_are_a_python_repr() -> None:
    assert json.loads(read_input(repr(MESSAGES))) == MESSAGES
    assert read_request(repr({"messages": MESSAGES})) == MESSAGES[0]["content"]
    assert json.loads(read_input(repr(MESSAGES)[:-12]))[0] == MESSAGES[0]


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
FUNCTION = """Function(arguments='{"a":1}', name='f')"""

TOOL_CALL = f"ToolCall(id='c1', function={FUNCTION})"


@pytest.mark.parametrize(
    "text",
    [
        """ResponseFunctionToolCall(arguments='{"a":1}', call_id='c1', name='f', id='fc')""",
        """[ResponseFunctionToolCall(arguments='{"a":1}', call_id='c1', name='f', id=None)]""",
        f"ChatCompletionMessageToolCall(id='c1', function={FUNCTION}, type='function')",
        f"ChatCompletionMessage(content=None, role='assistant', tool_calls=[{TOOL_CALL}])",
        "ToolUseBlock(id='c1', input={'a': 1}, name='f', type='tool_use')",
    ],
)
def test_calls_that_are_the_repr_of_an_object(text: str) -> None:
    for output in (text, json.dumps([{"role": "assistant", "content": text}])):
        assert json.loads(read_output(output)) == [
            {"role": "assistant", "content": "", "tool_calls": [CALL]}
        ]


@pytest.mark.parametrize("text", ["ToolCall(id", "ToolCall(1) is wrong", "Rome(a=1)"])
def test_code_that_a_model_wrote_stays_text(text: str) -> None:
    assert read_output(text) == text


@pytest.mark.parametrize("arguments", ['"{\\"a\\":1}"', '"\\"{\\\\\\"a\\\\\\":1}\\""'])
def test_arguments_are_decoded_as_often_as_they_were_encoded(arguments: str) -> None:
    call = {**CALL, "function": {"name": "f", "arguments": arguments}}
    [message] = json.loads(read_output(json.dumps([{"role": "assistant", "tool_calls": [call]}])))
    assert message["tool_calls"] == [CALL]


def test_arguments_that_are_a_text_stay_one() -> None:
    call = {**CALL, "function": {"name": "f", "arguments": '"Rome"'}}
    [message] = json.loads(read_output(json.dumps([{"role": "assistant", "tool_calls": [call]}])))
    assert message["tool_calls"] == [call]


def test_a_key_without_value_is_no_media() -> None:
    part = {"image": None, "text": "hi"}
    assert json.loads(read_output(json.dumps([{"role": "assistant", "content": [part]}]))) == [
        {"role": "assistant", "content": "hi"}
    ]


def test_thoughts_in_a_list_beside_the_content() -> None:
    thought = [{"type": "text", "text": "hm"}]
    message = {"role": "assistant", "content": "4", "reasoning_content": thought}
    [read] = json.loads(read_output(json.dumps([message])))
    assert read == {"role": "assistant", "content": "4", "reasoning_content": "hm"}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "content": "3", "tool_call_id": call_id}


def test_only_a_providers_result_is_no_answer() -> None:
    calling: dict[str, Any] = {"role": "assistant", "content": "Three.", "tool_calls": [CALL]}
    assert find_answer([calling, result("c1")]) == "Three."
    assert find_answer([calling, result("c2")]) == "3"
    assert find_answer([{**calling, "content": ""}, result("c1")]) == "3"
    assert find_answer([result("c1")]) == "3"
    assert find_answer([]) is None


def test_anthropics_own_tools_are_calls_with_results() -> None:
    content = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]},
        {"type": "text", "text": "Found."},
    ]
    messages = json.loads(read_output(json.dumps([{"role": "assistant", "content": content}])))
    assert [m["role"] for m in messages] == ["assistant", "tool", "assistant"]
    assert messages[0]["tool_calls"][0]["function"]["name"] == "web_search"
    assert find_answer(messages) == "Found."


def test_the_messages_of_a_state_are_its_words() -> None:
    files = {"/a.md": {"content": "FILE"}, "/b.md": {"text": "FILE"}}
    for state in ({"messages": MESSAGES, "files": files}, {"files": files, "messages": MESSAGES}):
        assert answer_in(json.dumps({"output": state})) == "Yes."
        assert question_in(json.dumps(state)) == MESSAGES[0]["content"]
    assert answer_in(json.dumps({"messages": [], "answer": {"text": "No."}})) == "No."
    assert question_in(json.dumps({"messages": "one?", "notes": {"text": "n"}})) == "one?"


def test_texts_in_place_of_messages_are_the_users() -> None:
    assert read_request('{"messages": "one?", "notes": "private"}') == "one?"
    assert read_request('{"messages": ["one?"], "notes": "private"}') == "one?"
    assert read_request('{"input": "one?", "notes": "private"}').startswith('{"input"')
    object_repr = '{"messages": ["ChatMessage(role=1)"], "notes": "private"}'
    assert read_request(object_repr) == object_repr


def test_the_last_text_of_a_team_is_its_answer() -> None:
    said = [{"source": "a", "content": "x", "type": "TextMessage"}]
    said += [{"source": "b", "content": "y", "type": "StopMessage"}]
    assert read_answer(json.dumps({"messages": said, "stop_reason": "done"})) == "y"


SAID = [{"role": "assistant", "content": "Hi", "tool_calls": [CALL]}]
MESSAGE = f"ChatCompletionMessage(content='Hi', role='assistant', tool_calls=[{TOOL_CALL}])"
TOOL_USE = "ToolUseBlock(id='c1', input={'a': 1}, name='f', type='tool_use')"
BLOCKS = f"[TextBlock(text='Hi', type='text'), {TOOL_USE}]"
TEXT = "[ResponseOutputText(text='Hi', type='output_text')]"
FUNCTION_CALL = """arguments='{"a":1}', call_id='c1', name='f', type='function_call'"""
OUTPUT = f"ResponseOutputMessage(role='assistant', type='message', content={TEXT})"


@pytest.mark.parametrize(
    "text",
    [
        f"ChatCompletion(id='x', choices=[Choice(finish_reason=None, index=0, message={MESSAGE})])",
        f"Message(id='m', content={BLOCKS}, role='assistant')",
        f"Response(id='r', output=[{OUTPUT}, ResponseFunctionToolCall({FUNCTION_CALL})])",
        f"[{{'role': 'assistant', 'content': {BLOCKS}}}]",
    ],
)
def test_responses_that_are_the_repr_of_an_object(text: str) -> None:
    assert json.loads(read_output(text)) == SAID


def test_what_somebody_said_comes_before_texts_that_nobody_said() -> None:
    state = {"last": {"role": "assistant", "content": "Rome."}, "docs": [{"content": "A page."}]}
    assert answer_in(json.dumps(state)) == "Rome."
    assert answer_in(json.dumps({"docs": [{"content": "A page."}]})) == "A page."


SPOKEN = [{"role": "system", "content": "Be kind"}, {"role": "user", "content": "What's up?"}]
_META = "additional_kwargs={}, response_metadata={}"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, SPOKEN)),
        f"\ufeff {json.dumps(SPOKEN)} ",
        json.dumps(SPOKEN).replace("}]", "},]"),
        json.dumps([SPOKEN[0], {**SPOKEN[1], "logprobs": float("nan")}]),
        (
            f"[SystemMessage(content='Be kind', {_META}), "
            f"HumanMessage(content=\"What's up?\", {_META}, id=UUID('1-2'))]"
        ),
    ],
    ids=["a line each", "byte order mark", "last comma", "NaN", "LangChain"],
)
def test_conversations_that_are_no_json_as_they_are(text: str) -> None:
    messages = json.loads(read_input(text))
    assert [{key: m[key] for key in ("role", "content")} for m in messages] == SPOKEN


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_only_line_feeds_end_a_line(end: str) -> None:
    said = [{"role": "user", "content": "a\u2028b\u0085c"}, {"role": "user", "content": "d"}]
    text = end.join(json.dumps(message, ensure_ascii=False) for message in said) + end
    assert json.loads(read_input(text)) == said


def test_lines_too_dense_to_be_read_at_once_are_not_read_one_by_one() -> None:
    line = json.dumps({"role": "user", "content": "x", "n": [0] * 1_000}, separators=(",", ":"))
    with watch_unread() as unread:
        assert read_input(f"{line}\n{line}\n{line}") == f"{line}\n{line}\n{line}"
    assert len(unread) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"AIMessage(content='Rome', {_META}, usage_metadata={{'input_tokens': 3}})",
        f"content='Rome' {_META.replace(',', '')} id='run-1' usage_metadata={{'a': 3}}",
        (
            "GenerateContentResponse(sdk_http_response=HttpResponse(headers=<dict len=9>), "
            "create_time=datetime.datetime(2026, 1, 1, tzinfo=TzInfo(UTC)), "
            "candidates=[Candidate(content=Content(parts=[Part(text='Rome', thought=None)], "
            "role='model'), finish_reason=<FinishReason.STOP: 'STOP'>)])"
        ),
        (
            "candidates=[Candidate(content=Content(parts=[Part(text='Rome')], role='model'))] "
            "usage_metadata=UsageMetadata(prompt_token_count=1)"
        ),
    ],
)
def test_answers_that_python_printed(text: str) -> None:
    (message,) = json.loads(read_output(text))
    assert (message["role"], message["content"]) == ("assistant", "Rome")


@pytest.mark.parametrize("text", ["content='is a field", "content= of a", "AIMessage(content=x)"])
def test_texts_that_only_begin_like_a_repr_stay(text: str) -> None:
    assert read_output(text) == text


def test_arguments_that_are_a_python_repr_are_json() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{'a': None}"}}
    (message,) = json.loads(read_output(json.dumps([{"role": "assistant", "tool_calls": [call]}])))
    assert message["tool_calls"][0]["function"]["arguments"] == '{"a":null}'


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        *[(text, True) for text in ('{"a":"b', '["a","b', '[{"a":1},{"id":')],
        *[(text, False) for text in ('{"a":1} and more', "plain")],
        *[(text, False) for text in ("[INFO] ok", "[package]\nname = 1", "{ foo", "[main 3f] x")],
    ],
)
def test_what_a_tool_said_is_marked_as_cut(text: str, *, is_cut: bool) -> None:
    facts = Facts(input=text, output=text)
    show_texts(facts, Kind.TOOL)
    assert (facts.input, facts.output) == (text, text)
    assert facts.metadata == ({"input_cut": "true", "output_cut": "true"} if is_cut else {})


@pytest.mark.parametrize("text", ["[]", " [ ] "])
def test_a_user_never_says_an_empty_list(text: str) -> None:
    assert read_input(text) == ""
    assert read_output(text) == text
