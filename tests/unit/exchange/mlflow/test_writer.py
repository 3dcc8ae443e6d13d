"""A run that is written as an MLflow trace is the same run when the trace is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.drafted import planner

from spanloom.core.document import Document
from spanloom.core.exchange.mlflow.reader import TRACES
from spanloom.core.exchange.mlflow.writer import write_trace
from spanloom.core.formats.imported import find_difference
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Located, Reading, Taken
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]


def written(document: Json, losses: Losses | None = None) -> bytes:
    return write_trace(Stored(json.dumps(document).encode()), losses or Losses())


def back(body: bytes) -> Json:
    (found,) = TRACES.read([Located("line 1", json.loads(body))], Reading("mlflow"))
    assert isinstance(found, Taken), found
    return found.document


def spans(document: Json) -> list[Json]:
    listed: list[Json] = json.loads(written(document))["data"]["spans"]
    return listed


def attribute(span: Json, name: str) -> Any:
    return json.loads(span["attributes"][f"mlflow.{name}"])


def test_the_golden_run_comes_back() -> None:
    again = back(written(planner()))
    for name in ("id", "root_step", "agent_steps"):
        assert find_difference(planner()[name], again[name]) is None
    assert written(again) == written(planner())


@pytest.mark.parametrize("text", ["42", "[1]", '["Oslo"]', '[{"a": 1}]', "", "Oslo", '{"a": [1]}'])
def test_arguments_of_a_tool_are_an_object_or_a_string(text: str) -> None:
    document = planner()
    document["agent_steps"][0]["steps"][1]["input"] = text
    assert isinstance(attribute(spans(document)[2], "spanInputs"), dict | str)
    assert back(written(document))["agent_steps"][0]["steps"][1]["input"] == text


def test_messages_of_a_model_are_messages_and_choices() -> None:
    model = spans(planner())[1]
    assert attribute(model, "spanInputs") == {
        "messages": [{"role": "user", "content": "Oslo or Bergen?"}]
    }
    (choice,) = attribute(model, "spanOutputs")["choices"]
    assert (choice["index"], choice["message"]["role"]) == (0, "assistant")
    assert attribute(model, "chat.tokenUsage")["total_tokens"] == 70


def test_messages_in_other_spacing_come_back_too() -> None:
    document = planner()
    model = document["agent_steps"][0]["steps"][0]
    for name in ("input", "output"):
        model[name] = json.dumps(json.loads(model[name]), indent=1)
    again = back(written(document))["agent_steps"][0]["steps"][0]
    assert (again["input"], again["output"]) == (model["input"], model["output"])


@pytest.mark.parametrize(
    "output",
    [
        '[{"content":"Dry.","doc_uri":"a.md"}]',
        '{"documents":[{"page_content":"Dry.","metadata":{"source":"a.md"}}]}',
        '[{"pageContent":"Dry.","metadata":"{\\"source\\":\\"a.md\\"}"}]',
        '{"Docs":[{"id":"a.md","content":"Dry.","meta_data":{"page":1}}]}',
    ],
)
def test_what_a_retriever_found_is_documents_in_mlflow(output: str) -> None:
    document = planner()
    tool = document["agent_steps"][0]["steps"][1]
    tool["output"], tool["metadata"] = output, {"tool_kind": "retrieval"}
    span = spans(document)[2]
    assert attribute(span, "spanType") == "RETRIEVER"
    (found,) = attribute(span, "spanOutputs")
    assert (found["page_content"], found["metadata"]["doc_uri"]) == ("Dry.", "a.md")
    assert back(written(document))["agent_steps"][0]["steps"][1]["output"] == output


def test_types_that_mlflow_has_no_word_for_are_counted_and_come_back() -> None:
    document = planner()
    step = document["agent_steps"][0]["steps"][1]
    step["type"] = "graph"
    losses = Losses()
    body = written(document, losses)
    assert losses.counts == {Code.GRAPH_FLATTENED: 1}
    assert attribute(json.loads(body)["data"]["spans"][2], "spanType") == "CHAIN"
    assert back(body)["agent_steps"][0]["steps"][1]["type"] == "graph"


def test_steps_of_the_same_millisecond_keep_their_order() -> None:
    document = planner()
    steps = document["agent_steps"][0]["steps"]
    steps[1], steps[2] = steps[2], steps[1]
    steps[1]["basic_info"]["started_at"] = steps[2]["basic_info"]["started_at"]
    again = [step.id for step in Document(back(written(document))).steps]
    assert again == [step.id for step in Document(document).steps]


def test_what_a_run_is_part_of_is_metadata_and_comes_back_whole() -> None:
    document = planner()
    known = {
        "conversation_id": "s-1",
        "user_id": "ada",
        "environment": "test",
        "tags": ["a", "b:c"],
        "metadata": {"note": "n" * 300, "source_id": "trace_1"},
    }
    document["extraction"] |= known
    body = written(document)
    info = json.loads(body)["info"]
    assert info["trace_metadata"]["mlflow.trace.session"] == "s-1"
    assert len(info["trace_metadata"]["note"]) == 250
    assert info["tags"] == {"a": "", "b:c": "", "mlflow.traceName": "planner"}
    again = back(body)["extraction"]
    assert {name: again[name] for name in known} == known


@pytest.mark.parametrize(
    ("status", "state"), [("live", "IN_PROGRESS"), ("failed", "ERROR"), ("settled", "OK")]
)
def test_the_state_of_a_run_is_that_of_the_trace(status: str, state: str) -> None:
    document = planner()
    document["extraction"]["status"] = status
    assert json.loads(written(document))["info"]["state"] == state


def test_a_cost_that_is_unknown_is_absent() -> None:
    document = planner()
    assert "mlflow.trace.cost" not in json.loads(written(document))["info"]["trace_metadata"]
    document["agent_steps"][0]["steps"][0]["metadata"]["cost"] = "0.25"
    assert attribute(spans(document)[1], "llm.cost") == {"total_cost": 0.25}


def test_large_texts_and_many_steps_are_written() -> None:
    document = planner()
    agent = document["agent_steps"][0]
    agent["steps"][1]["output"] = "x" * 10_000_000
    first = agent["steps"][1]
    for at in range(10_000):
        agent["steps"].append({**first, "id": f"{at:016x}", "output": "\x00\x1f\u2028"})
    body = written(document)
    assert len(json.loads(body)["data"]["spans"]) == 10_007
