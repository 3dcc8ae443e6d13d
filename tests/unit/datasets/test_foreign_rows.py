"""Rows of other systems as dataset items: each value has its place, and no loss goes unnoticed."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.replaced_values import replaced

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.coze.dataset import MAX_KEY_CHARS
from spanloom.datasets.foreign.registry import OWN, ROW_FORMATS, recognised
from spanloom.datasets.items import read_items
from spanloom.evaluation.subject.expected import read_expected

if TYPE_CHECKING:
    from collections.abc import Mapping


def items(row: object, form: str | None = None) -> list[Mapping[str, Any]]:
    """Return the items of a row, after a check that the service and evaluators accept them."""
    found = (ROW_FORMATS[form] if form else recognised(row)).read(row)
    made = [one.item for one in found]
    assert read_items(list(made))[1] == []
    for item in made:
        read_expected(item.get("expected"))
    return made


def field(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "content": {"content_type": "text", "text": text}}


def test_an_item_of_an_evaluation_set_of_coze_loop() -> None:
    run = {"id": "t", "root_step": {"id": "r"}, "agent_steps": []}
    fields = [
        field("input", "Oslo?"),
        field("reference_output", "Oslo."),
        field("trajectory", json.dumps(run)),
        field("level", "easy"),
        {"name": "map", "content": {"content_type": "image", "image": {"url": "https://x"}}},
    ]
    (item,) = items({"item_key": "first", "turns": [{"field_datas": fields}], "item_id": "9"})
    assert item == {
        "item_key": "first",
        "input": "Oslo?",
        "expected": {"response": "Oslo.", "trajectory": run},
        "metadata": {
            "item_id": "9",
            "level": "easy",
            "map": {"content_type": "image", "image": {"url": "https://x"}},
        },
    }


def test_each_turn_of_coze_loop_is_an_item_with_a_key_of_its_own() -> None:
    turns = [{"field_datas": [field("input", text)]} for text in ("Oslo?", "Bergen?")]
    found = items({"item_key": "k" * MAX_KEY_CHARS, "turns": turns})
    assert [item["input"] for item in found] == ["Oslo?", "Bergen?"]
    assert len({item["item_key"] for item in found}) == len(turns)


ADK: dict[str, Any] = {
    "eval_set_id": "trips",
    "eval_cases": [
        {
            "eval_id": "oslo",
            "conversation": [
                {
                    "invocation_id": "i-1",
                    "user_content": {"role": "user", "parts": [{"text": "Oslo?", "thought": None}]},
                    "intermediate_data": {"tool_uses": [{"name": "search", "args": {"q": "Oslo"}}]},
                    "final_response": {"role": "model", "parts": [{"text": "Oslo."}]},
                },
                {"user_content": {"parts": [{"text": "And"}, {"text": "Bergen?"}]}},
            ],
            "session_input": {"app_name": "planner"},
        },
        {"eval_id": "none", "conversation": []},
        {
            "evalId": "camel",
            "conversation": [
                {
                    "userContent": {"parts": [{"text": "Rome?"}]},
                    "intermediateData": {
                        "invocationEvents": [
                            {"content": {"parts": [{"functionCall": {"name": "book", "args": {}}}]}}
                        ]
                    },
                    "finalResponse": {"parts": [{"inlineData": {"mimeType": "image/png"}}]},
                }
            ],
        },
    ],
}


def test_each_turn_of_a_case_of_adk_is_an_item_and_a_faulty_case_hides_none() -> None:
    found = list(ROW_FORMATS["adk"].read(ADK))
    assert [one.reason for one in found if one.reason] == [
        "eval_cases.1.conversation: there is no turn"
    ]
    first, second, third = (one.item for one in found if not one.reason)
    about = {
        "eval_set_id": "trips",
        "eval_id": "oslo",
        "session_input": {"app_name": "planner"},
    }
    assert first == {
        "item_key": "oslo/1",
        "input": "Oslo?",
        "expected": {
            "response": "Oslo.",
            "tool_calls": [{"name": "search", "arguments": {"q": "Oslo"}}],
        },
        "metadata": {**about, "invocation_id": "i-1"},
    }
    assert second == {
        "item_key": "oslo/2",
        "input": [
            {"role": "user", "content": "Oslo?"},
            {"role": "assistant", "content": "Oslo."},
            {"role": "user", "content": "And\nBergen?"},
        ],
        "metadata": about,
    }
    assert third["item_key"] == "camel"
    assert third["expected"]["tool_calls"] == [{"name": "book", "arguments": {}}]
    assert third["expected"]["final_response"] == {
        "parts": [{"inlineData": {"mimeType": "image/png"}}]
    }


def test_a_row_of_databricks_and_what_an_item_has_no_place_for() -> None:
    row = {
        "request_id": "r-1",
        "request": {"query": "Oslo?", "history": []},
        "response": "Bergen.",
        "trace": "{}",
        "expected_response": "Oslo.",
        "expected_facts": ["a city"],
        "expected_retrieved_context": [{"doc_uri": "a.md", "content": "Oslo"}],
        "guidelines": {"tone": ["be kind"]},
    }
    (found,) = ROW_FORMATS["databricks"].read(row)
    assert found.left_out == ("trace",)
    assert found.item == {
        "item_key": "r-1",
        "input": {"query": "Oslo?", "history": []},
        "expected": {
            "response": "Oslo.",
            "facts": ["a city"],
            "retrieved_context": [{"doc_uri": "a.md", "content": "Oslo"}],
            "guidelines": {"tone": ["be kind"]},
        },
        "metadata": {"response": "Bergen."},
    }


def test_columns_of_databricks_are_rows_and_one_without_a_request_hides_none() -> None:
    columns = {"request": ["Oslo?", "", "Rome?"], "expected_response": ["Oslo.", "x", None]}
    found = list(ROW_FORMATS["databricks"].read(columns))
    assert [one.item.get("input") for one in found] == ["Oslo?", None, "Rome?"]
    assert found[1].reason == "row 2 request: it is missing"
    assert found[0].item["item_key"] != found[2].item["item_key"]


def test_a_row_of_mlflow() -> None:
    row = {
        "inputs": {"question": "Oslo?"},
        "expectations": {"expected_response": "Oslo.", "tone": "kind"},
        "tags": {"level": "easy"},
        "dataset_record_id": "d-1",
    }
    assert items(row) == [
        {
            "item_key": "d-1",
            "input": {"question": "Oslo?"},
            "expected": {"response": "Oslo.", "tone": "kind"},
            "metadata": {"tags": {"level": "easy"}},
        }
    ]


def test_an_example_of_langsmith_with_messages() -> None:
    asked = [{"role": "user", "content": "Oslo?"}]
    answered = [{"role": "assistant", "content": "Oslo."}]
    row = {
        "id": "e-1",
        "inputs": {"messages": asked},
        "outputs": {"messages": answered},
        "metadata": {"level": "easy"},
        "split": ["test"],
        "dataset_id": "d",
    }
    assert items(row) == [
        {
            "item_key": "e-1",
            "input": asked,
            "expected": {"response": "Oslo.", "trajectory": [*asked, *answered]},
            "metadata": {"level": "easy", "dataset_id": "d"},
            "splits": ["test"],
        }
    ]


def test_an_example_of_langsmith_with_members_of_its_own() -> None:
    (item,) = items({"inputs": {"question": "Oslo?"}, "outputs": {"answer": "Oslo."}})
    assert (item["input"], item["expected"]) == ("Oslo?", {"response": "Oslo."})
    (item,) = items({"inputs": {"q": "Oslo?", "k": 3}, "outputs": {"a": "Oslo.", "k": 3}})
    assert item["input"] == {"q": "Oslo?", "k": 3}
    assert item["expected"] == {"outputs": {"a": "Oslo.", "k": 3}}


def test_an_item_of_ours_is_left_as_it_is() -> None:
    item = {"item_key": "first", "input": "Oslo?", "expected": {"response": "Oslo."}}
    assert items(item) == [item]
    assert recognised({"anything": 1}) is ROW_FORMATS[OWN]


FAULTS = [
    ("coze-dataset", {"turns": []}, "turns: there is none"),
    (
        "coze-dataset",
        {"turns": [{"field_datas": [field("trajectory", "{")]}]},
        "turns.0.field_datas.0.content.text: it is no JSON",
    ),
    ("adk", {"eval_cases": []}, "eval_cases: the set has none"),
    ("databricks", {"request": "a", "expected_facts": "b"}, "expected_facts: "),
    ("databricks", {"request": "a", "expected_facts": ["b", 1]}, "expected_facts.1: "),
    (
        "databricks",
        {"request": "a", "expected_retrieved_context": [{}]},
        "expected_retrieved_context.0.doc_uri: it is missing",
    ),
    ("mlflow-eval", {"inputs": {}, "expectations": {}}, "inputs: it is missing"),
    ("langsmith", {"inputs": {}}, "inputs: it is empty"),
]


@pytest.mark.parametrize(("form", "row", "reason"), FAULTS)
def test_a_row_that_cannot_be_meant_is_refused_with_its_place(
    form: str, row: object, reason: str
) -> None:
    try:
        reasons = [one.reason for one in ROW_FORMATS[form].read(row)]
    except InvalidRequestError as error:
        reasons = [str(error)]
    assert len(reasons) == 1
    assert reasons[0].startswith(reason)


def test_a_row_without_a_key_is_the_same_item_again() -> None:
    rows = [{"b": 1, "request": "Oslo?"}, {"request": "Oslo?", "b": 1}, {"request": "Rome?"}]
    first, again, other = (items(row, "databricks")[0]["item_key"] for row in rows)
    assert first == again
    assert first != other


NAMES = st.sampled_from(
    [
        *("item_key", "turns", "field_datas", "name", "content", "text", "eval_cases", "parts"),
        *("conversation", "user_content", "intermediate_data", "tool_uses", "request", "inputs"),
        *("outputs", "messages", "expectations", "expected_facts", "expected_retrieved_context"),
        *("split", "metadata", "role", "final_response", "invocation_events", "id"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=15,
)


@pytest.mark.parametrize("form", ROW_FORMATS)
@given(row=st.dictionaries(NAMES, VALUES, max_size=6))
def test_any_row_is_items_or_refused_with_a_reason(form: str, row: Any) -> None:
    found = []
    with suppress(InvalidRequestError):
        found = list(ROW_FORMATS[form].read(row))
    for one in found:
        assert one.reason or one.item or form == OWN


ROWS: Mapping[str, object] = {
    OWN: {"item_key": "a", "input": "Oslo?", "expected": {"response": "Oslo."}, "metadata": {}},
    "coze-dataset": {"item_key": "a", "turns": [{"field_datas": [field("input", "Oslo?")]}]},
    "adk": {
        "eval_set_id": "s",
        "eval_cases": [
            {
                "eval_id": "a",
                "conversation": [
                    {
                        "user_content": {"parts": [{"text": "Oslo?"}], "role": "user"},
                        "final_response": {"parts": [{"text": "Oslo."}], "role": "model"},
                        "intermediate_data": {"tool_uses": [{"name": "f", "args": {"a": 1}}]},
                    }
                ],
            }
        ],
    },
    "databricks": {
        "request": {"messages": [{"role": "user", "content": "Oslo?"}]},
        "expected_facts": ["Oslo"],
        "expected_retrieved_context": [{"doc_uri": "a", "content": "b"}],
        "guidelines": {"tone": ["kind"]},
    },
    "mlflow-eval": {
        "inputs": {"question": "Oslo?"},
        "expectations": {"expected_response": "Oslo.", "expected_facts": ["Oslo"]},
        "tags": {"a": "b"},
        "source": {"source_type": "TRACE", "source_data": {"trace_id": "t"}},
    },
    "langsmith": {
        "id": "a",
        "inputs": {"messages": [{"role": "user", "content": "Oslo?"}]},
        "outputs": {"messages": [{"role": "assistant", "content": "Oslo."}]},
        "metadata": {"dataset_split": ["base"]},
    },
}


@pytest.mark.parametrize("form", ROW_FORMATS)
def test_a_member_of_another_type_is_read_or_refused(form: str) -> None:
    list(ROW_FORMATS[form].read(ROWS[form]))
    for row in replaced(ROWS[form]):
        recognised(row)
        with suppress(InvalidRequestError):
            list(ROW_FORMATS[form].read(row))
