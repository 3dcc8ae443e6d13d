"""Cases of ADK evaluation sets become runs and items of a dataset; bad cases are refused alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.conversions import convert, read

from spanloom.client.transfer.documents import read_run
from spanloom.core.exchange.adk import READER
from spanloom.core.formats.entry import Of
from spanloom.core.formats.readers import Located, Reading, Refused
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from pathlib import Path

CASE = {
    "eval_id": "umbrella",
    "conversation": [
        {
            "invocation_id": "e-1",
            "user_content": {"role": "user", "parts": [{"text": "Is Oslo"}, {"text": "dry?"}]},
            "final_response": {"role": "model", "parts": [{"text": "It is."}]},
            "intermediate_data": {
                "tool_uses": [{"id": "c1", "name": "weather", "args": {"city": "Oslo"}}],
                "tool_responses": [{"id": "c1", "name": "weather", "response": {"sky": "clear"}}],
            },
        }
    ],
    "session_input": {"app_name": "forecaster", "user_id": "u"},
}


def set_of(*cases: Any) -> bytes:
    return orjson.dumps({"eval_set_id": "weather", "eval_cases": cases}, option=orjson.OPT_INDENT_2)


def test_a_case_is_an_item_of_a_data_set(tmp_path: Path) -> None:
    path = tmp_path / "weather.evalset.json"
    path.write_bytes(set_of(CASE))
    (row,) = map(orjson.loads, convert(path, formats_of(Of.RUNS)["langsmith"]).bodies)
    assert row["inputs"]["messages"] == [{"role": "user", "content": "Is Oslo\ndry?"}]
    called, result, answer = row["outputs"]["messages"]
    function = {"name": "weather", "arguments": '{"city":"Oslo"}'}
    assert called["tool_calls"] == [{"id": "c1", "type": "function", "function": function}]
    assert (result["tool_call_id"], result["content"]) == ("c1", '{"sky":"clear"}')
    assert answer == {"role": "assistant", "content": "It is."}
    about = {"eval_set_id": "weather", "eval_id": "umbrella", "name": "forecaster"}
    assert about.items() <= row["metadata"].items()


def test_a_bad_case_does_not_stop_its_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "file"
    other = {**CASE, "eval_id": "other"}
    path.write_bytes(set_of(CASE, {"eval_id": "bad"}, {**CASE, "conversation": [{}]}, 7, other))
    found = read(path)
    assert len({one["id"] for one in found.documents}) == 2
    assert [one["place"] for one in found.refused] == [f"the document: case {n}" for n in (2, 3, 4)]
    assert "conversation.0.user_content: an object" in found.refused[1]["reason"]
    assert read(path, "adk") == found
    for document in found.documents:
        read_run(document, None)


@pytest.mark.parametrize("cases", [[], None, {}])
def test_a_set_without_cases_is_refused(tmp_path: Path, cases: object) -> None:
    path = tmp_path / "file"
    path.write_bytes(orjson.dumps({"eval_set_id": "weather", "eval_cases": cases}))
    assert len(read(path, "adk").refused) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(st.sampled_from(["eval_id", "conversation", "session_input"]), JSON, JSON)
def test_no_value_does_more_than_be_refused(name: str, value: Any, turn: Any) -> None:
    turns = [{**CASE["conversation"][0], "intermediate_data": turn}]  # type: ignore[index]
    for case in ({**CASE, name: value}, value, {**CASE, "conversation": turns}):
        values = [Located("line 1", {"eval_cases": [case]})]
        for found in READER.read(values, Reading("adk")):
            assert found.place
            assert not isinstance(found, Refused) or found.reason
