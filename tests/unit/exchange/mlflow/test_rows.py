"""Rows of Databricks and MLflow evaluation sets are read and written as documented there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.drafted import planner
from tests.support.mlflow_traces import TOOL, TRACE, version_3

from spanloom.client.transfer.documents import read_run
from spanloom.core.document import Document
from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]
SHUFFLING = {
    "messages": [{"role": "user", "content": "How can you minimize data shuffling in Spark?"}]
}
BROADCASTS = {
    "query": "Explain broadcast variables in Spark. How do they enhance performance?",
    "history": [
        {"role": "user", "content": "What are broadcast variables?"},
        {
            "role": "assistant",
            "content": "Broadcast variables allow the programmer to keep a read-only variable "
            "cached on each machine.",
        },
    ],
}
PLAIN = "What is the difference between reduceByKey and groupByKey in Spark?"
EXAMPLE = {
    "request": [PLAIN, SHUFFLING, BROADCASTS],
    "expected_response": [
        "expected response for first question",
        "expected response for second question",
        "expected response for third question",
    ],
}
"""The unchanged example in Databricks' documentation, a table as columns."""


def read(name: str, value: object) -> list[Taken | Refused]:
    reader = formats_of(Of.RUNS)[name].load_reader()
    assert reader.fits(value)
    return list(reader.read([Located("line 1", value)], Reading(name)))


def taken(name: str, value: object) -> Taken:
    (found,) = read(name, value)
    assert isinstance(found, Taken), found
    assert read_run(found.document, "p").project == "p"
    return found


def written(name: str, document: Json, losses: Losses | None = None) -> Json:
    stored = Stored(json.dumps(document).encode())
    row: Json = json.loads(formats_of(Of.RUN)[name].load_writer()(stored, losses or Losses()))
    return row


def test_rows_of_the_documents_example_are_items_not_runs() -> None:
    found = read("databricks", EXAMPLE)
    assert [one.place for one in found] == [f"line 1: row {at}" for at in (1, 2, 3)]
    for one in found:
        assert isinstance(one, Refused)
        assert "no `response` and no `trace`" in one.reason


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        (PLAIN, PLAIN),
        (SHUFFLING, SHUFFLING["messages"]),
        (
            BROADCASTS,
            [*BROADCASTS["history"], {"role": "user", "content": BROADCASTS["query"]}],
        ),
        ({"query": "a"}, "a"),
        (json.dumps(SHUFFLING), SHUFFLING["messages"]),
    ],
)
def test_every_form_of_a_request_with_a_response_is_a_run(request_: object, asked: object) -> None:
    row = {"request": request_, "response": "It is.", "expected_response": "It is so."}
    found = taken("databricks", row)
    root = Document(found.document).root
    assert root.output == "It is."
    assert root.input == asked or json.loads(root.input) == asked
    assert found.losses.counts == {Code.DURATION_UNKNOWN: 1, Code.IDS_MADE: 2}
    assert taken("databricks", row).document == found.document
    assert written("databricks", found.document)["expected_response"] == "It is so."


def test_retrieved_context_is_a_retrieval_step() -> None:
    row = {
        "request_id": "r-1",
        "request": PLAIN,
        "response": "It is.",
        "retrieved_context": [{"doc_uri": "a.md", "content": "Dry."}, {"doc_uri": "b.md"}],
    }
    document = taken("databricks", row).document
    (step,) = Document(document).steps
    assert (step.type, step.metadata["tool_kind"]) == ("tool", "retrieval")
    assert document["extraction"]["metadata"]["source_id"] == "r-1"
    assert written("databricks", document)["retrieved_context"] == [
        {"doc_uri": "a.md", "content": "Dry."},
        {"doc_uri": "b.md", "content": ""},
    ]


def test_the_last_retrieval_counts_by_its_start() -> None:
    document = planner()
    first, second = document["agent_steps"][0]["steps"][1:3]
    for at, step in enumerate((first, second)):
        step["metadata"]["tool_kind"] = "retrieval"
        step["output"] = json.dumps([{"page_content": f"{at}", "metadata": {}}])
    losses = Losses()
    (found,) = written("databricks", document, losses)["retrieved_context"]
    assert found == {"doc_uri": f"{second['id']}.0", "content": "1"}
    assert losses.counts == {Code.IDS_MADE: 1}


def test_a_row_of_the_golden_run() -> None:
    row = written("databricks", planner())
    assert (row["request_id"], row["request"], row["response"]) == (
        *(planner()["id"], "Oslo or Bergen?"),
        "Oslo.",
    )
    assert json.loads(row["trace"])["info"]["trace_id"] == f"tr-{row['request_id']}"
    again = written("databricks", taken("databricks", row).document)
    assert again == row


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("name", ["databricks", "mlflow-eval"])
def test_a_row_with_a_trace_is_its_run(name: str, *, as_text: bool) -> None:
    trace = json.dumps(version_3()) if as_text else version_3()
    row = {"databricks": {"request": "Refunds?"}, "mlflow-eval": {}}[name] | {"trace": trace}
    document = taken(name, row).document
    assert document["id"] == TRACE
    assert TOOL in {step.id for step in Document(document).steps}


@pytest.mark.parametrize(
    ("name", "row", "where"),
    [
        ("databricks", {"request": "a", "trace": "{"}, "trace: no JSON"),
        ("databricks", {"request": "a", "trace": {"info": {}}}, "trace.data: "),
        ("databricks", {"request": 7, "response": "b"}, "request: "),
        ("databricks", {"request": None, "response": "b"}, "request: "),
        ("databricks", {"request": {"messages": [1]}, "response": "b"}, "request.messages.0: "),
        ("databricks", {"request": {"query": 1}, "response": "b"}, "request.query: "),
        (
            "databricks",
            {"request": "a", "response": "b", "retrieved_context": [1]},
            "retrieved_context.0: ",
        ),
        ("databricks", {"request": ["a"], "response": []}, "response: the columns"),
        ("mlflow-eval", {"inputs": {"q": "a"}}, "it is an item"),
        ("mlflow-eval", {"inputs": {"q": "a"}, "expectations": []}, "expectations: "),
        ("mlflow-eval", {"trace": {"info": {}, "data": {}}}, "trace.data.spans: "),
    ],
)
def test_what_is_wrong_is_named_with_its_place(name: str, row: Json, where: str) -> None:
    (found,) = read(name, row)
    assert isinstance(found, Refused)
    assert found.reason.startswith(where), found.reason


def test_inputs_and_outputs_of_a_set_are_a_run() -> None:
    row = {"inputs": {"q": "a"}, "outputs": {"x": 1}, "expectations": {"expected_facts": ["b"]}}
    document = taken("mlflow-eval", row).document
    root = Document(document).root
    assert (root.input, root.output) == ('{"q":"a"}', '{"x":1}')
    again = written("mlflow-eval", document)
    assert {name: again[name] for name in row} == row
    assert written("databricks", document)["expected_facts"] == ["b"]


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("Oslo?", {"messages": [{"role": "user", "content": "Oslo?"}]}),
        ('{"q":"a"}', {"q": "a"}),
        ('[{"role":"user","content":"a"}]', {"messages": [{"role": "user", "content": "a"}]}),
        ("", {"messages": [{"role": "user", "content": ""}]}),
    ],
)
def test_inputs_of_a_row_are_an_object(text: str, inputs: Json) -> None:
    document = planner()
    document["root_step"]["input"] = document["agent_steps"][0]["input"] = text
    assert written("mlflow-eval", document)["inputs"] == inputs


def test_the_shape_tells_the_formats_apart() -> None:
    values = {
        "databricks": {"request": "a", "expected_response": "b"},
        "mlflow": version_3(),
        "mlflow-eval": {"inputs": {}, "expectations": {}},
    }
    for name, value in values.items():
        fits = [one for one in values if formats_of(Of.RUNS)[one].load_reader().fits(value)]
        assert fits == [name]
    searched = {"trace_id": f"tr-{TRACE}", "trace": "{}", "request": "a", "spans": []}
    fits = [one for one in values if formats_of(Of.RUNS)[one].load_reader().fits(searched)]
    assert fits == ["mlflow-eval"]


def test_a_failure_without_words_comes_back_without_words() -> None:
    """The error's type does not become its message, unlike in traces of other programs."""
    document = planner()
    step = document["agent_steps"][0]["steps"][2]
    step["basic_info"]["error"]["msg"] = ""
    document["extraction"]["errors"][0] |= {"msg": "", "type": "TimeoutError"}
    first = written("mlflow", document)
    again = taken("mlflow", first).document
    assert again["extraction"]["errors"][0]["msg"] == ""
    assert written("mlflow", again) == first
