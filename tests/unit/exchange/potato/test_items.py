"""Runs are written as items of Potato annotation tasks, and items by others are read as runs."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.drafted import planner
from tests.support.examples import examples

from spanloom.core.exchange.potato.reading import POTATO, fits
from spanloom.core.exchange.potato.writing import config_files, write
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.stored import Stored

# The example instance in Potato's documentation of trajectory_eval.
WEATHER = {
    "id": "trace_001",
    "task_description": "Find the weather in San Francisco",
    "steps": [
        {"action": "search_web('SF weather')", "thought": "Need to find weather info."},
        {"action": "click_result(0)", "thought": "Opening first result."},
        {"action": "extract_text('.weather')", "thought": "Getting the data."},
    ],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["action", "thought", "steps", "type"]), inner, max_size=3
        )
    ),
    max_leaves=10,
)


def read(*items: Any) -> list[Taken | Refused]:
    values = (Located(f"item {n}", item) for n, item in enumerate(items, 1))
    return list(POTATO.read(values, Reading("potato", "trips")))


def taken(item: Any) -> dict[str, Any]:
    (found,) = read(item)
    assert isinstance(found, Taken), found
    return found.document


def written(document: dict[str, Any]) -> tuple[dict[str, Any], Losses]:
    losses = Losses()
    item: dict[str, Any] = orjson.loads(write(Stored(dump(document)), losses))
    return item, losses


def test_the_published_item_becomes_a_run_and_comes_back() -> None:
    document = taken(WEATHER)
    (agent,) = document["agent_steps"]
    assert agent["input"] == WEATHER["task_description"]
    assert [(step["type"], step["name"], step["input"]) for step in agent["steps"]] == [
        ("tool", "search_web", "'SF weather'"),
        ("tool", "click_result", "0"),
        ("tool", "extract_text", "'.weather'"),
    ]
    assert document["extraction"]["metadata"]["source_id"] == "trace_001"
    item, _ = written(document)
    assert item["task_description"] == WEATHER["task_description"]
    kept = [{name: step[name] for name in ("action", "thought")} for step in item["steps"]]
    assert kept == WEATHER["steps"]


def test_an_item_has_a_step_for_each_call_with_its_id() -> None:
    item, losses = written(planner())
    assert item["id"] == planner()["id"]
    assert [(step["type"], step["agent"], step["action"]) for step in item["steps"]] == [
        ("model", "planner", 'weather({"city":"Oslo"}), weather({"city":"Bergen"})'),
        ("tool", "planner", 'weather({"city":"Oslo"})'),
        ("tool", "planner", 'weather({"city":"Bergen"})'),
        ("model", "critic", "fine"),
        ("model", "planner", "Oslo."),
    ]
    assert item["steps"][2]["observation"] == "down"
    assert losses.counts == {
        "times_dropped": 7,
        "tokens_dropped": 3,
        "texts_dropped": 6,
        "metadata_dropped": 5,
        "error_as_text": 1,
    }


def test_agents_of_an_item_are_agents_of_the_run() -> None:
    document = taken(written(planner())[0])
    assert [agent["name"] for agent in document["agent_steps"]] == ["planner", "critic"]
    owned = [[step["name"] for step in agent["steps"]] for agent in document["agent_steps"]]
    assert owned == [["model", "weather", "weather", "critic", "model"], ["model"]]
    assert document["id"] == planner()["id"]


def test_the_configuration_has_whole_weights() -> None:
    (content,) = config_files("items.json").values()
    config = orjson.loads(content)
    (scheme,) = config["annotation_schemes"]
    assert all(isinstance(one["weight"], int) for one in scheme["severities"])
    assert config["data_files"] == [{"type": "json", "path": "items.json"}]


@pytest.mark.parametrize(
    ("item", "where"),
    [
        ({"id": "a", "steps": [{"action": 1}]}, "steps.0.action"),
        ({"id": "a", "steps": [{"action": "x"}, None]}, "steps.1"),
        ({"id": "a", "steps": "x"}, "steps"),
        ([], "the item"),
    ],
)
def test_what_is_no_item_is_refused_with_its_place(item: Any, where: str) -> None:
    found = read(WEATHER, item, {**WEATHER, "id": "b"})
    assert [type(one) for one in found] == [Taken, Refused, Taken]
    assert str(found[1].reason if isinstance(found[1], Refused) else "").startswith(where)


def test_the_shape_is_that_of_items_alone() -> None:
    assert fits(WEATHER)
    assert not any(map(fits, [{}, planner(), {"steps": [{"step_id": 1}], "id": "x"}, [], None]))


@settings(max_examples=examples(200))
@given(JSON)
def test_no_value_does_more_than_be_refused(value: Any) -> None:
    for item in (value, {**WEATHER, "steps": value}, {**WEATHER, "steps": [value]}):
        assert all(isinstance(one, Taken | Refused) for one in read(item))
