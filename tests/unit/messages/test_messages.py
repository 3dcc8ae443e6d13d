"""Answers and attachments of every model API become messages of one form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spanloom.core.messages.steps import read_input, read_output
from spanloom.core.model.message import find_answer

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
ANSWER = {
    "role": "assistant",
    "content": "Rome",
    "tool_calls": [CALL],
    "finish_reason": "stop",
}
LANGCHAIN = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": {
        "content": "Rome",
        "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
        "response_metadata": {"token_usage": {"total_tokens": 7}},
        "type": "ai",
    },
}
GEMINI_PARTS = [{"text": "Rome"}, {"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}]
TYPED_TEXT = {"type": "text", "text": "Rome"}


def answered(said: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(read_output(json.dumps(said)))
    return found


def content(*parts: object, role: str = "user") -> Any:
    [message] = json.loads(read_input(json.dumps([{"role": role, "content": list(parts)}])))
    return message["content"]


@pytest.mark.parametrize(
    "said",
    [
        {"choices": [{"index": 0, "finish_reason": "stop", "message": ANSWER}], "usage": {}},
        {
            "choices": [
                {"finish_reason": "stop", "delta": {"content": "Rome", "tool_calls": [CALL]}}
            ]
        },
        {
            "generations": [
                [
                    {
                        "text": "Rome",
                        "generation_info": {"finish_reason": "stop"},
                        "type": "ChatGeneration",
                        "message": LANGCHAIN,
                    }
                ]
            ],
            "llm_output": None,
        },
        {"generations": [[{"generationInfo": {"finish_reason": "stop"}, "message": LANGCHAIN}]]},
        {
            "candidates": [
                {"content": {"role": "model", "parts": GEMINI_PARTS}, "finishReason": "stop"}
            ]
        },
        {"content": {"role": "model", "parts": GEMINI_PARTS}, "finish_reason": "stop"},
        {
            "role": "assistant",
            "stop_reason": "stop",
            "content": [
                TYPED_TEXT,
                {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            ],
        },
        {
            "text": "Rome",
            "toolCalls": [{"toolCallId": "c1", "toolName": "f", "input": '{"a":1}'}],
            "finishReason": "stop",
        },
        [
            {
                "parts": [{"type": "text", "content": "Rome"}],
                "tool_calls": [CALL],
                "finish_reason": "stop",
            }
        ],
    ],
)
def test_every_api_s_answer_is_the_same_message(said: object) -> None:
    assert answered(said) == [ANSWER]


def test_items_of_one_response_are_one_message() -> None:
    text = {"type": "output_text", "text": "Rome", "annotations": []}
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "role": "assistant", "content": [text]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}'},
    ]
    [message] = answered({"object": "response", "instructions": "Be kind.", "output": output})
    assert message == {
        "role": "assistant",
        "content": "Rome",
        "reasoning_content": "hm",
        "tool_calls": [CALL],
    }


def test_every_choice_is_a_message() -> None:
    choices = [
        {"text": "Rome", "finish_reason": "stop"},
        {"text": "Oslo", "finish_reason": "length"},
    ]
    assert [m["content"] for m in answered({"choices": choices})] == ["Rome", "Oslo"]
    assert read_output('{"generations":[[]]}') == ""


@pytest.mark.parametrize(
    "said", ["Rome", '{"city":"Oslo"}', '["Oslo"]', "[1]", "[]", '"so-called" Rome']
)
def test_what_is_no_message_stays_as_it_is(said: str) -> None:
    assert read_output(said) == said


def test_an_answer_nested_too_deep_is_text_like_any_other() -> None:
    deep = '[{"role":"assistant","content":' + "[" * 100 + "]" * 100 + "}]"
    assert json.loads(read_output(deep)) == [{"role": "assistant", "content": deep}]


def test_invalid_calls_are_calls_and_thoughts_keep_their_signature() -> None:
    call = {
        "name": "f",
        "args": "{a:",
        "id": "c1",
        "error": "not JSON",
        "type": "invalid_tool_call",
    }
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    [message] = answered({"role": "assistant", "content": [thought], "invalid_tool_calls": [call]})
    [shown] = message["tool_calls"]
    assert (shown["function"]["arguments"], shown["error"]) == ("{a:", "not JSON")
    assert message["reasoning_content"] == "hm"
    assert message["reasoning_details"] == [{"type": "reasoning", "signature": "c2ln"}]


def test_a_call_named_twice_is_one_call() -> None:
    block = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
    [message] = answered({"role": "ai", "content": [block], "tool_calls": [CALL]})
    assert message["tool_calls"] == [CALL]


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


@pytest.mark.parametrize(
    "part",
    [
        PICTURE,
        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image", "base64": "aGk=", "mime_type": "image/png"},
        {"type": "image", "source_type": "base64", "data": "aGk=", "mime_type": "image/png"},
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "aGk="},
        {"type": "image", "image": {"image": {"url": "data:image/png;base64,aGk="}}},
        {"type": "file", "mediaType": "image/png", "data": "aGk="},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"image": {"format": "png", "source": {"bytes": "aGk="}}},
        {"type": "image_url", "image": {"base64data": "aGk=", "mime_type": "image/png"}},
    ],
)
def test_every_api_s_picture_is_the_same_part(part: dict[str, Any]) -> None:
    assert content({"type": "text", "text": "Look:"}, part) == [
        {"type": "text", "text": "Look:"},
        PICTURE,
    ]


def test_sound_and_files_keep_their_bytes() -> None:
    sound = {"type": "blob", "modality": "audio", "mime_type": "audio/wav", "content": "aGk="}
    file = {"type": "file", "mediaType": "application/pdf", "data": "aGk=", "filename": "a.pdf"}
    assert content(sound, file) == [
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        {
            "type": "file",
            "file": {"file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"},
        },
    ]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": "x", "annotations": [{"url": "https://a"}]},
        {"type": "document", "source": {"type": "text", "data": "plain"}},
        {"type": "hologram", "depth": 3},
        {"type": "file", "file_id": "f-1"},
    ],
)
def test_what_has_no_place_in_the_shape_is_kept(part: dict[str, Any]) -> None:
    assert content({"type": "text", "text": "x"}, part)[1] == part


def test_content_that_is_data_is_json_text() -> None:
    assert content({"a": 1}, {"b": 2}, role="tool") == '[{"a":1},{"b":2}]'
    [message] = json.loads(read_input('[{"role": "tool", "content": {"city": "Oslo"}}]'))
    assert message["content"] == '{"city":"Oslo"}'


def test_what_a_message_says_beyond_the_shape_is_kept() -> None:
    said = {
        "role": "critic",
        "content": "no",
        "name": "ada",
        "mood": "bad",
        "logprobs": [1],
        "x": [],
    }
    assert json.loads(read_input(json.dumps([said]))) == [
        {"role": "critic", "content": "no", "name": "ada", "mood": "bad"}
    ]


WRITTEN = [
    {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "look"}]},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}'},
]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(WRITTEN),
        str(WRITTEN),
        [{"type": "text", "text": json.dumps(item)} for item in WRITTEN],
        [{"type": "text", "text": str(item)} for item in WRITTEN],
        [
            {"type": "reasoning", "content": str(WRITTEN[0])},
            {"type": "tool_call", "content": str(WRITTEN[1])},
        ],
    ],
)
def test_an_answer_written_out_as_text_is_read(content: object) -> None:
    said = {"role": "assistant", "content": content, "tool_calls": [CALL]}
    [message] = answered([said])
    assert message == {
        "role": "assistant",
        "content": "",
        "reasoning_content": "look",
        "tool_calls": [CALL],
    }


@pytest.mark.parametrize("text", ['{"type":"reasoning"}', "{'city': 'Oslo'}", '{"type":"text"}'])
def test_other_objects_are_text(text: str) -> None:
    [message] = answered([{"role": "assistant", "content": text}])
    assert message["content"] == text


def test_thoughts_are_in_the_list_that_has_some() -> None:
    summary = [{"type": "summary_text", "text": "hm"}]
    thought = {"type": "reasoning", "content": [], "summary": summary}
    [message] = answered({"role": "assistant", "content": [thought, TYPED_TEXT]})
    assert (message["reasoning_content"], message["content"]) == ("hm", "Rome")


def test_langchain_keeps_a_refusal_beside_the_message() -> None:
    kwargs = {"content": "", "additional_kwargs": {"refusal": "No."}, "type": "ai"}
    [message] = answered({**LANGCHAIN, "kwargs": kwargs})
    assert message == {"role": "assistant", "content": "", "refusal": "No."}


def test_an_unknown_role_is_that_of_the_side() -> None:
    [message] = answered([{"role": "unknown", "parts": [{"type": "text", "content": "Rome"}]}])
    assert message["role"] == "assistant"


def test_blocks_of_anthropic_that_were_written_out_as_text_are_read() -> None:
    call = {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    texts = [{"type": "text", "content": json.dumps(block)} for block in (thought, call)]
    [message] = answered([{"role": "assistant", "parts": texts}])
    assert (message["content"], message["reasoning_content"]) == ("", "hm")
    assert message["tool_calls"] == [CALL]


def test_a_list_of_numbers_that_a_tool_returned_is_no_list_of_parts() -> None:
    part = {"type": "tool_call_response", "id": "c1", "result": [1, 2, 3]}
    [message] = json.loads(read_input(json.dumps([{"role": "user", "parts": [part]}])))
    assert (message["role"], message["content"]) == ("tool", "[1,2,3]")


def test_arguments_that_are_no_json_are_as_the_model_wrote_them() -> None:
    call = {"type": "tool_call", "id": "c1", "name": "f", "arguments": {"_raw": "{broken"}}
    [message] = answered([{"role": "assistant", "parts": [call]}])
    assert message["tool_calls"][0]["function"]["arguments"] == "{broken"


def test_instructions_that_were_not_given_are_none() -> None:
    asked = {
        "instructions": "<openai.Omit object at 0x7fc6>",
        "input": [{"role": "user", "content": "Hi"}],
    }
    assert json.loads(read_input(json.dumps(asked))) == [{"role": "user", "content": "Hi"}]


def read_back(payload: object) -> Any:
    return json.loads(read_output(json.dumps(payload)))


def test_tools_that_openai_runs_itself_are_calls_with_results() -> None:
    items = [
        {"type": "mcp_list_tools", "id": "l", "tools": []},
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "x"}},
        {"type": "mcp_call", "id": "m", "name": "roll", "arguments": "{}", "output": "4"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4"}]},
    ]
    first, result, last = read_back(items)
    called = [(c["id"], c["function"]["name"]) for c in first["tool_calls"]]
    assert called == [("w", "web_search"), ("m", "roll")]
    assert (result["role"], result["content"], result["tool_call_id"]) == ("tool", "4", "m")
    assert last == {"role": "assistant", "content": "4"}


def test_an_answer_before_several_results_is_the_answer() -> None:
    text = {"type": "message", "role": "assistant", "content": "Done."}
    calls = [
        {"type": "file_search_call", "id": "f", "queries": ["a"], "results": [{"text": "t"}]},
        {"type": "code_interpreter_call", "id": "c", "code": "1", "outputs": [{"logs": "2"}]},
    ]
    assert find_answer(read_back([text, *calls])) == "Done."


def test_code_that_gemini_runs_is_a_call() -> None:
    parts = [
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "It is 1."},
    ]
    call, result, last = read_back([{"role": "model", "parts": parts}])
    assert call["tool_calls"][0]["function"]["name"] == "code_execution"
    assert (result["content"], last["content"]) == ("1", "It is 1.")


def test_calls_and_results_of_genkit() -> None:
    asked = {"toolRequest": {"name": "look", "ref": "0", "input": {"q": "x"}}}
    found = {"toolResponse": {"name": "look", "ref": "0", "output": ["y"]}}
    history = [{"role": "model", "content": [asked]}, {"role": "tool", "content": [found]}]
    call, result = json.loads(read_input(json.dumps({"messages": history})))
    assert call["tool_calls"][0]["id"] == result["tool_call_id"] == "0"
    assert call["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"q":"x"}'}
    assert result["content"] == "y"


def test_the_chat_context_of_livekit() -> None:
    items = [
        {"type": "agent_handoff", "new_agent_id": "a"},
        {"type": "message", "role": "user", "content": ["Rome?"]},
        {"type": "function_call", "call_id": "c", "name": "w", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "name": "w", "output": "dry"},
    ]
    asked, call, result = json.loads(read_input(json.dumps({"items": items})))
    assert (asked["role"], asked["content"]) == ("user", "Rome?")
    assert (call["tool_calls"][0]["id"], result["content"]) == ("c", "dry")


@pytest.mark.parametrize(
    "answer",
    [
        {"state": "Completed", "result": {"role": "assistant", "content": "Rome"}},
        [{"role": "assistant", "text": "Rome", "files": []}],
        {"role": "assistant", "content": [{"type": "text", "text": "Rome"}]},
    ],
)
def test_gateways_and_platforms_wrap_an_answer(answer: object) -> None:
    assert read_back(answer)[-1]["content"] == "Rome"


def test_server_tools_of_the_genai_conventions_are_calls_with_results() -> None:
    asked = {"type": "web_search", "query": "x"}
    parts = [
        {"type": "server_tool_call", "id": "s", "name": "web_search", "server_tool_call": asked},
        {"type": "server_tool_call_response", "id": "s", "server_tool_call_response": {"n": 1}},
        {"type": "text", "content": "Found."},
    ]
    call, result, last = read_back([{"role": "assistant", "parts": parts}])
    function = call["tool_calls"][0]["function"]
    assert function == {"name": "web_search", "arguments": '{"type":"web_search","query":"x"}'}
    assert (result["content"], result["tool_call_id"]) == ('{"n":1}', "s")
    assert last["content"] == "Found."


def test_thoughts_and_media_of_genkit() -> None:
    media = {"media": {"url": "data:image/png;base64,aGk=", "contentType": "image/png"}}
    content = [{"reasoning": "hm"}, {"text": "yo"}, media]
    (message,) = read_back({"message": {"role": "model", "content": content}})
    assert message["reasoning_content"] == "hm"
    assert [part["type"] for part in message["content"]] == ["text", "image_url"]


def test_details_next_to_thoughts_of_genkit() -> None:
    thought = {"reasoning": "hm", "text": None, "custom": {"signature": "s"}, "metadata": {}}
    (message,) = read_back({"message": {"role": "model", "content": [thought, {"text": "yo"}]}})
    assert (message["content"], message["reasoning_content"]) == ("yo", "hm")


@pytest.mark.parametrize(
    "data",
    [
        {"reasoning": "It rains.", "label": "A"},
        {"label": "A", "reasoning": "It rains."},
        {"media": "a.jpg", "caption": "x"},
        {"media": {"url": "a.jpg"}, "caption": "x"},
    ],
)
def test_data_with_a_key_of_genkits_is_an_answer(data: dict[str, Any]) -> None:
    assert read_back([data]) == [data]
    for content in ([data], json.dumps([data])):
        (message,) = read_back([{"role": "assistant", "content": content}])
        assert message.keys() == {"role", "content"}
        assert json.loads(message["content"]) == [data]
