"""Runs are written and read as items of Coze Loop evaluation sets, with the schema of a set."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from tests.support.drafted import planner
from tests.support.exchange_validators import coze_dataset
from tests.support.exchanged import read, read_all, refusal, write

from spanloom.core.exchange.coze.dataset import MAX_ITEM_BYTES, schema_file
from spanloom.core.formats.imported import find_difference
from spanloom.core.formats.losses import NotHeldError
from spanloom.core.formats.readers import Refused, Taken

Json = dict[str, Any]


def item(text: str, **members: Any) -> Json:
    data = [{"name": "trajectory", "content": {"content_type": "text", "text": text}}]
    return {"item_key": "k", "turns": [{"field_datas": data}], **members}


def test_the_published_example_becomes_an_item_of_a_set(coze_loop_example: Json) -> None:
    body = write("coze-dataset", read("coze-example", coze_loop_example).document)
    coze_dataset.check(body)
    made = orjson.loads(body)
    texts = {one["name"]: one["content"]["text"] for one in made["turns"][0]["field_datas"]}
    assert texts["input"] == coze_loop_example["root_step"]["input"]
    assert texts["reference_output"] == ""
    trajectory = json.loads(texts["trajectory"])
    assert trajectory["id"] == made["item_key"]
    assert [agent["name"] for agent in trajectory["agent_steps"]] == ["TravelPlannerAgent"]


def test_a_run_comes_back_from_its_item() -> None:
    document = planner()
    again = read("coze-dataset", orjson.loads(write("coze-dataset", document))).document
    for name in ("id", "root_step", "agent_steps"):
        assert find_difference(document[name], again[name]) is None


def test_key_and_reference_of_another_set_are_kept(coze_loop_example: Json) -> None:
    source = item(json.dumps(coze_loop_example))
    source["turns"][0]["field_datas"].append(
        {"key": "reference_output", "content": {"text": "Take the train."}}
    )
    found = read("coze-dataset", source).document
    kept = {
        "item_key": "k",
        "reference_output": "Take the train.",
        "source_id": "trace_shanghai_001",
    }
    assert found["extraction"]["metadata"] == kept
    body = write("coze-dataset", found)
    coze_dataset.check(body)
    assert orjson.loads(body)["item_key"] == "k"
    assert b"Take the train." in body


def test_each_turn_is_a_run() -> None:
    texts = [json.dumps({"id": f"{n:032x}", "root_step": {"id": "r"}}) for n in (1, 2)]
    turns = [turn for text in texts for turn in item(text)["turns"]]
    found = read_all("coze-dataset", {"turns": turns})
    assert [type(one) for one in found] == [Taken, Taken]


def test_a_run_larger_than_an_item_is_not_held() -> None:
    document = planner()
    empty = len(write("coze-dataset", document))
    document["agent_steps"][0]["steps"][1]["output"] += "x" * (MAX_ITEM_BYTES - empty)
    assert len(write("coze-dataset", document)) == MAX_ITEM_BYTES
    document["agent_steps"][0]["steps"][1]["output"] += "x"
    with pytest.raises(NotHeldError, match="too_large"):
        write("coze-dataset", document)


def test_the_schema_of_the_set_is_a_file_beside() -> None:
    ((name, body),) = schema_file("trips.jsonl").items()
    assert name == "trips.schema.json"
    schema = json.loads(body)
    assert schema["name"] == "trips"
    fields = {one["name"]: one for one in schema["evaluation_set_schema"]["field_schemas"]}
    assert list(fields) == ["input", "reference_output", "trajectory"]
    assert fields["trajectory"] == {
        "name": "trajectory",
        "content_type": "text",
        "default_display_format": "json",
        "schema_key": "trajectory",
        "is_required": True,
    }


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (7, "the item: an object is needed here, not a number"),
        ({"turns": []}, "turns: there is none"),
        ({"turns": [{}]}, "turns.0.field_datas: the field trajectory is missing"),
        (item("{"), "turns.0.field_datas.0.content.text: it is no JSON"),
        (item("[]"), "turns.0.field_datas.0.content.text: an object is needed here, not a list"),
        (item("{}"), "turns.0.field_datas.0.content.text: id: a trajectory needs its trace id"),
        (item("{}", item_key="k" * 256), "item_key: it is longer than 255 characters"),
    ],
)
def test_what_is_no_item_is_refused_with_the_place(value: Any, reason: str) -> None:
    assert refusal("coze-dataset", value).startswith(reason)


def test_neighbours_of_a_bad_item_are_taken() -> None:
    good = orjson.loads(write("coze-dataset", planner()))
    found = read_all("coze-dataset", good, item("{"), good)
    assert [type(one) for one in found] == [Taken, Refused, Taken]
