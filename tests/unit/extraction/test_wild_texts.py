"""Texts that are nearly JSON, as real senders send them, are read as the values they mean."""

from __future__ import annotations

import json
from typing import Any

from tests.support.recorded import Document, documents
from tests.support.wild import steps_of, wild_documents

from spanloom.core.messages.texts import answer_in, question_in


def asked(model: Document) -> Any:
    return json.loads(model["input"])


def answered(model: Document) -> Any:
    return json.loads(model["output"])


def test_arguments_that_were_encoded_twice() -> None:
    [document] = wild_documents("arguments-encoded-twice")
    [model] = steps_of(document, "model")
    [call] = answered(model)[0]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"city": "Turin"}


def test_a_text_in_quotation_marks_is_what_they_enclose() -> None:
    [document] = wild_documents("quoted-text")
    [model] = steps_of(document, "model")
    assert asked(model) == [{"role": "user", "content": 'compare "a"\nand b'}]
    assert answered(model)[0]["content"] == "They differ."
    assert document["root_step"]["output"] == "They differ."


def test_calls_that_are_the_repr_of_a_python_object() -> None:
    [document] = wild_documents("call-as-python-repr")
    [answer] = answered(steps_of(document, "model")[0])
    function = {"name": "get_weather", "arguments": '{"city":"Lima"}'}
    assert answer["content"] == ""
    assert answer["tool_calls"] == [{"id": "call_A1", "type": "function", "function": function}]


def test_messages_are_read_up_to_the_cut() -> None:
    agent, vercel = wild_documents("messages-cut-off")
    [model] = steps_of(agent, "model")
    assert asked(model)[:2] == [
        {"role": "system", "content": "You are a coding helper."},
        {"role": "user", "content": "Fix the parser."},
    ]
    assert asked(model)[2]["tool_calls"][0]["function"]["name"] == "read_file"
    assert model["metadata"]["input_cut"] == "true"
    assert "output_cut" not in model["metadata"]
    assert question_in(agent["root_step"]["input"]) == "Fix the parser."
    system, user = asked(steps_of(vercel, "model")[0])
    assert system == {"role": "system", "content": "You plan."}
    assert user["content"].startswith("Plan Rome")


def test_thoughts_that_are_a_list_of_parts() -> None:
    [document] = wild_documents("thinking-as-a-list")
    [answer] = answered(document["root_step"])
    assert (answer["content"], answer["reasoning_content"]) == ("4", "add them")


def test_the_result_of_a_providers_tool_is_not_the_answer() -> None:
    [document] = wild_documents("answer-before-providers-tool")
    assert document["root_step"]["output"] == "It has three pages."


def test_files_in_the_state_of_a_graph_are_not_its_answer() -> None:
    [deep] = documents("deepagents_answer-oi")
    [small] = documents("langgraph_files_in_state-oi")
    assert answer_in(deep["root_step"]["output"]) == "Report written."
    assert answer_in(small["root_step"]["output"]) == "The answer."


def test_a_text_in_place_of_messages_is_the_question() -> None:
    [document] = documents("langgraph_state_question-oi")
    assert document["root_step"]["input"] == "one?"


def test_the_last_message_of_a_team_is_its_answer() -> None:
    [document] = documents("autogen_team_answer-oi")
    assert document["root_step"]["output"] == "APPROVE"


def test_a_streamed_response_in_a_list_is_its_text() -> None:
    [document] = documents("openai_agents_chat_stream-oi")
    assert document["root_step"]["output"] == "a streamed answer of words "
