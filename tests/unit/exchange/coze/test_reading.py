"""Trajectories are read in both JSON forms that Coze Loop published, and come back when written."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import orjson
import pytest
from tests.support.drafted import planner
from tests.support.exchange_validators import coze, coze_example
from tests.support.exchanged import read, read_all, refusal, write

from spanloom.client.transfer.documents import read_run
from spanloom.core.document import Document
from spanloom.core.exchange.drafts import Draft, DraftStep, complete
from spanloom.core.exchange.verdicts import verdicts_of
from spanloom.core.formats.entry import Of
from spanloom.core.formats.imported import find_difference
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored
from spanloom.core.model.step import StepError
from spanloom.core.model.trajectory import Kind

Json = dict[str, Any]
STATED = ("llm_duration", "input_tokens", "output_tokens")


def beside(example: Json) -> Json:
    """Return the example with ``agent_steps`` next to ``root_step``."""
    root = dict(example["root_step"])
    return {"id": example["id"], "agent_steps": root.pop("agent_steps"), "root_step": root}


def minimal(**members: Any) -> Json:
    step = {"id": "s", "type": "tool", **members}
    return {"id": "t", "root_step": {"id": "r"}, "agent_steps": [{"id": "a", "steps": [step]}]}


def test_the_published_example_is_read_as_it_is(coze_loop_example: Json) -> None:
    """The example's totals contradict its steps, so they are computed from the steps.

    They change from 3200 to 3100, from 850 to 650 and from 420 to 260.
    """
    found = read("coze-example", coze_loop_example)
    view = Document(found.document)
    assert len(view.id) == 32
    assert found.document["extraction"]["metadata"] == {"source_id": "trace_shanghai_001"}
    assert found.document["extraction"]["dialects"] == ["coze-example"]
    assert [view.root.metrics_info[name] for name in STATED] == ["3100", 650, 260]
    assert view.root.metrics_info["tool_step_proportion"] == 0.4
    types = [(step.type, step.name, step.agent_name) for step in view.steps][1:]
    assert types[0] == ("model", "Reasoning_Weather_Check", "TravelPlannerAgent")
    assert [kind for kind, *_ in types] == ["model", "tool", "model", "tool", "model"]
    assert found.losses.counts == {"ids_made": 8, "metrics_recomputed": 6}
    paths = {loss.path for loss in found.losses.listed if loss.code == "metrics_recomputed"}
    assert "root_step.metrics_info.llm_duration" in paths
    assert read_run(found.document, "other").project == "other"


def test_the_published_example_comes_out_as_it_went_in(coze_loop_example: Json) -> None:
    """The example is unchanged apart from ids, the totals, and the source's ids in metadata."""
    body = write("coze-example", read("coze-example", coze_loop_example).document)
    coze_example.check(body)
    again = orjson.loads(body)
    assert without_ids(again) == without_ids(coze_loop_example)
    (agent,) = again["root_step"]["agent_steps"]
    sources = [step["metadata"]["source_id"] for step in (agent, *agent["steps"])]
    assert sources == ["span_agent_001", *(f"span_step_00{n}" for n in range(1, 6))]


def without_ids(document: Json) -> Json:
    plain = deepcopy(document)
    root = plain["root_step"]
    for agent in root["agent_steps"]:
        for step in (root, agent, *agent["steps"]):
            for name in ("id", "parent_id", "metadata"):
                step.pop(name, None)
            for name in STATED:
                step.get("metrics_info", {}).pop(name, None)
    del plain["id"]
    return plain


def test_both_positions_give_the_same_run(coze_loop_example: Json) -> None:
    first, second = (
        read("coze", value).document for value in (coze_loop_example, beside(coze_loop_example))
    )
    assert find_difference(first, second) is None


def test_agent_steps_beside_the_root_count_where_there_are_both(coze_loop_example: Json) -> None:
    both = {**coze_loop_example, "agent_steps": []}
    assert list(Document(read("coze", both).document).steps) == []


@pytest.mark.parametrize("name", ["coze", "coze-example", "coze-dataset", "canonical"])
def test_no_value_has_the_shape_of_two_formats(name: str, coze_loop_example: Json) -> None:
    document = read("coze-example", coze_loop_example).document
    values = {
        "canonical": document,
        "coze": beside(coze_loop_example),
        "coze-example": coze_loop_example,
        "coze-dataset": orjson.loads(write("coze-dataset", document)),
    }
    readers = {"jsonl" if known == "canonical" else known: known for known in values}
    fitting = [
        known
        for file, known in readers.items()
        if formats_of(Of.RUNS)[file].load_reader().fits(values[name])
    ]
    assert fitting == [name]


def test_numbers_texts_and_gaps_are_filled() -> None:
    found = read(
        "coze",
        {
            "id": 7,
            "root_step": {"id": 1, "basic_info": {"started_at": 1000, "duration": 4500}},
            "agent_steps": [
                {
                    "id": 2,
                    "parent_id": 1,
                    "steps": [
                        {"id": 3, "type": "model", "model_info": {"input_tokens": "5"}},
                        {"id": 4, "type": "tool", "input": {"a": 1}, "metadata": {"n": 2}},
                        {"type": "retriever", "metadata": None, "output": None},
                    ],
                }
            ],
        },
    )
    view = Document(found.document)
    model, tool, last = list(view.steps)[1:]
    assert (view.root.started_at, view.root.duration) == (1000, 4500)
    assert [step.started_at for step in (model, tool, last)] == [1000] * 3
    assert (model.model_info["input_tokens"], tool.input, last.output) == (5, '{"a":1}', "")
    assert tool.metadata["n"] == "2"
    assert (last.type, last.metadata["source_type"]) == ("graph", "retriever")
    assert "duration" in last.basic_info
    coze.check(write("coze", found.document))


def test_a_cost_that_is_no_number_is_kept_under_another_name() -> None:
    found = read("coze", minimal(metadata={"cost": "12 CNY"}))
    (step,) = [step for step in Document(found.document).steps if step.type == "tool"]
    assert step.metadata["source_cost"] == "12 CNY"
    read_run(found.document, "p")


def test_ids_that_have_the_form_stay() -> None:
    document = planner()
    again = read("coze-example", orjson.loads(write("coze-example", document)))
    for name in ("id", "root_step", "agent_steps"):
        assert find_difference(document[name], again.document[name]) is None
    assert again.losses.counts == {}


def test_lists_decide_what_steps_belong_to() -> None:
    """A step whose parent is in another agent, missing or in a ring is directly below its agent."""
    steps = [
        {"id": "x", "type": "graph", "parent_id": "y"},
        {"id": "y", "type": "graph", "parent_id": "x"},
        {"id": "z", "type": "tool", "parent_id": "b"},
        {"id": "z", "type": "tool", "parent_id": "x"},
    ]
    agents = [
        {"id": "a", "parent_id": "b", "steps": [*steps, {"id": "c"}]},
        {"id": "b", "parent_id": "a"},
        {"id": "c"},
    ]
    found = read("coze", {"id": "t", "root_step": {"id": "r"}, "agent_steps": agents})
    view = Document(found.document)
    owned = [step for step in view.steps if step.type != "agent"]
    assert len(owned) == 4
    assert sorted(agent.metadata["source_id"] for agent in view.agents) == [*"abcr"]
    assert {step.agent_id for step in owned} == {
        agent.id for agent in view.agents if agent.metadata.get("source_id") == "a"
    }
    read_run(found.document, "p")


def test_a_trace_without_a_root_comes_back_without_one() -> None:
    document = {
        "id": "t",
        "root_step": None,
        "agent_steps": [{"id": "1" * 16, "basic_info": {"started_at": "5", "duration": "3"}}],
    }
    found = read("coze", document)
    assert Document(found.document).root.times == (5, 8)
    again = orjson.loads(write("coze", found.document))
    assert again["root_step"] is None
    assert [agent["id"] for agent in again["agent_steps"]] == ["1" * 16]
    assert again["agent_steps"][0]["parent_id"] == ""


def test_totals_of_finer_times_are_taken_over() -> None:
    document = planner()
    document["root_step"]["metrics_info"]["llm_duration"] = "272"
    found = read("coze-example", orjson.loads(write("coze-example", document)))
    assert Document(found.document).root.metrics_info["llm_duration"] == "272"
    assert found.losses.counts == {}


def test_what_the_builder_changes_is_counted() -> None:
    document = planner()
    document["agent_steps"][0]["steps"][1]["type"] = "graph"
    document["agent_steps"][0]["steps"][0]["model_info"]["input_tokens"] = 2**31
    document["extraction"]["tags"] = ["a"]
    losses = Losses()
    coze.check(write("coze", document, losses))
    assert losses.counts == {"graph_flattened": 1, "value_truncated": 1, "metadata_dropped": 1}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "the trajectory: an object is needed here, not a list"),
        ({"root_step": {}}, "id: a trajectory needs its trace id"),
        ({"id": True, "root_step": {}}, "id: a string is needed here, not a boolean"),
        ({"id": "t"}, "root_step: an object is needed here"),
        ({"id": "t", "root_step": []}, "root_step: an object is needed here, not a list"),
        (
            {"id": "t", "root_step": {"agent_steps": {}}},
            "root_step.agent_steps: a list is needed here, not an object",
        ),
        (
            {"id": "t", "root_step": {}, "agent_steps": [1]},
            "agent_steps.0: an object is needed here, not a number",
        ),
        (
            minimal(basic_info={"started_at": 10**400}),
            "agent_steps.0.steps.0.basic_info.started_at: a number is needed here",
        ),
        (minimal(metadata=1), "agent_steps.0.steps.0.metadata: an object is needed"),
        (
            minimal(basic_info={"started_at": "soon"}),
            "agent_steps.0.steps.0.basic_info.started_at: a number is needed here",
        ),
        (
            minimal(basic_info={"duration": -1}),
            "agent_steps.0.steps.0.basic_info.duration: milliseconds are needed here, from 0",
        ),
        (
            minimal(basic_info={"error": {"code": 2**31}}),
            "agent_steps.0.steps.0.basic_info.error.code: a number of 32 bits",
        ),
        (
            minimal(type="model", model_info={"input_tokens": []}),
            "agent_steps.0.steps.0.model_info.input_tokens: a number is needed here",
        ),
    ],
)
def test_what_is_no_trajectory_is_refused_with_the_place(value: Any, reason: str) -> None:
    assert refusal("coze", value).startswith(reason)


def test_members_beyond_the_schema_are_counted() -> None:
    found = read("coze", {**minimal(), "extraction": {"a": 1}, "tags": ["b"], "links": []})
    assert found.losses.counts[Code.METADATA_DROPPED] == 2


def test_neighbours_of_a_bad_line_are_taken(coze_loop_example: Json) -> None:
    found = read_all("coze", beside(coze_loop_example), {"id": "t"}, minimal())
    assert [type(one) for one in found] == [Taken, Refused, Taken]
    assert found[1].place == "line 2"


def test_hostile_values_end_in_a_reason_or_a_run() -> None:
    deep: Any = "x"
    for _ in range(600):
        deep = [deep]
    assert refusal("coze", minimal(input=deep)) == (
        "agent_steps.0.steps.0.input: it is nested too deeply"
    )
    odd = minimal(input="a\ud800b\x00", name="\x01", output="x" * 10_000_000)
    document = read("coze", odd).document
    assert json.loads(write("coze-example", document))
    many = [{"type": "tool", "name": str(n)} for n in range(10_000)]
    value = {"id": "t", "root_step": {"id": "r"}, "agent_steps": [{"id": "a", "steps": many}]}
    names = [step.name for step in Document(read("coze", value).document).steps]
    assert names[1:] == [str(n) for n in range(10_000)]


def test_steps_of_one_millisecond_are_in_the_order_of_the_document() -> None:
    """The document's order counts, although an imported run's spans are sorted by their ids."""
    document = planner()
    steps = document["agent_steps"][0]["steps"]
    for step in (*steps, document["agent_steps"][1]):
        step["basic_info"]["started_at"] = "1715400000010"
    steps.reverse()
    encode = formats_of(Of.RUN)["coze"].load_writer()
    stored = Stored(dump(document), verdicts_of(document))
    listed = json.loads(encode(stored, Losses()))["agent_steps"][0]["steps"]
    assert [step["id"] for step in listed] == [step["id"] for step in steps]


def test_failures_of_one_millisecond_keep_their_order_when_a_run_is_written_again() -> None:
    """The root, a model call, fails, and so does a call in a graph, which becomes an agent."""
    failed = StepError(0, "refused")
    kinds = (Kind.MODEL, Kind.GRAPH, Kind.MODEL)
    steps = [
        DraftStep(f"{n:016x}", f"{n - 1:016x}" if n > 1 else "", kind, "step", "", "", 1, 1)
        for n, kind in enumerate(kinds, 1)
    ]
    for step in (steps[0], steps[2]):
        step.error = failed
    first = json.loads(write("coze", complete(Draft("a" * 32, "default", "made", steps))))
    assert first["root_step"]["metrics_info"]["model_errors"] == {"0": [steps[0].id, steps[2].id]}
    assert json.loads(write("coze", read("coze", first).document)) == first
