"""Traces of Snorkel are read as runs, and runs are written as traces of Snorkel."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from tests.support.drafted import planner
from tests.support.exchange_validators import snorkel
from tests.support.exchanged import read, read_all, refusal, write

from spanloom.client.transfer.documents import read_run
from spanloom.core.document import Document
from spanloom.core.exchange.snorkel.writing import write_trace
from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]


def node(kind: str = "TOOL", **members: Any) -> Json:
    return {"step_type": kind, "metadata": {}, "value": "v", **members}


def root(*substeps: Json, **members: Any) -> Json:
    return node("ROOT_STEP", substeps=list(substeps), **members)


def again(trace: Json) -> Json:
    """Return the trace after it was read as a run and written again."""
    body = write("snorkel", read("snorkel", trace).document)
    snorkel.check(body)
    (made,) = orjson.loads(body)
    return made  # type: ignore[no-any-return]  # JSON


def test_the_published_traces_come_out_as_they_went_in(snorkel_example: list[Json]) -> None:
    for trace in snorkel_example:
        assert json.dumps(again(trace)) == json.dumps(trace)


def test_the_published_trace_is_a_run(snorkel_example: list[Json]) -> None:
    found = read("snorkel", snorkel_example[0])
    view = Document(found.document)
    steps = [(step.type, step.name, step.output[:9], step.duration) for step in view.steps]
    assert steps == [
        ("model", "AI_RESPONSE", "Sure! Let", 300),
        ("tool", "DOC_RETRIEVAL", "Retrievin", 400),
        ("model", "AI_RESPONSE", "Here is a", 500),
    ]
    first, tool, _ = view.steps
    question = "Hey, can you summarize this document?"
    assert view.root.input == question
    assert json.loads(first.input) == [{"role": "user", "content": question}]
    assert tool.parent_id == first.id
    assert view.root.output == "User starts a conversation with AI agent"
    assert view.root.metrics_info["output_tokens"] == 27
    assert found.losses.counts == {"ids_made": 5, "tokens_dropped": 1}
    read_run(found.document, "p")


def test_the_planner_is_written_as_agreed() -> None:
    losses = Losses()
    body = write("snorkel", planner(), losses)
    snorkel.check(body)
    (trace,) = json.loads(body)
    assert trace["metadata"]["tokens"] == 177
    assert trace["substep_execution_type"] == "parallel"
    tool = next(one for one in trace["substeps"] if one["step_type"] == "TOOL")
    assert tool == {
        "step_type": "TOOL",
        "metadata": {
            "step_id": "a000000000000003",
            "name": "weather",
            "agent": "planner",
            "tokens": 0,
            "latency": 0.04,
        },
        "value": "dry",
        "substeps": [],
        "substep_execution_type": "serial",
        "metadata_expand": {
            "input": '{"city":"Oslo"}',
            "tool_call_id": "c1",
            "tool_name": "weather",
        },
    }
    assert losses.counts == {"times_dropped": 6}


def test_ids_types_order_outputs_and_tokens_come_back() -> None:
    document = planner()
    found = read("snorkel", json.loads(write("snorkel", document))[0])
    before, after = Document(document), Document(found.document)
    assert (before.id, before.root.times) == (after.id, after.root.times)
    shown = [
        [(s.id, s.type, s.output, s.input, s.error, s.model_info, s.metadata) for s in view.steps]
        for view in (before, after)
    ]
    assert shown[0] == shown[1]
    assert found.losses.counts == {}
    assert "snorkel" not in after.root.metadata


@pytest.mark.parametrize(
    ("kind", "members", "expected"),
    [
        ("AI_RESPONSE", {}, "model"),
        ("MODEL", {}, "model"),
        ("VECTOR_RETRIEVAL", {}, "tool"),
        ("TOOL_RETRIEVER", {}, "tool"),
        ("AGENT_CALL", {}, "agent"),
        ("PLAN", {"agent": "other"}, "agent"),
        ("PLAN", {"agent": "a"}, "graph"),
        ("GRAPH", {"agent": "other"}, "graph"),
        ("ROOT_STEP", {}, "graph"),
    ],
)
def test_types_decide_what_a_step_is(kind: str, members: Json, expected: str) -> None:
    trace = root(node(kind, metadata=members), metadata={"agent": "a"})
    (step,) = Document(read("snorkel", trace).document).steps
    assert step.type == expected
    assert again(trace) == trace


@pytest.mark.parametrize(
    "trace",
    [
        root(node(value=None, substeps=[node(value=False)])),
        root(node(value=1.0), node(value=1), node(value="")),
        node("ROOT_STEP", value=7, substep_execution_type=None, metadata_expand=None),
        root(node("USER_MESSAGE"), node("AI_RESPONSE"), node("USER_MESSAGE", substeps=[node()])),
        root(node(metadata={"latency": 2, "tokens": 1}), substep_execution_type="parallel"),
        root(node(metadata={"latency": "slow", "error_code": "x", "cost": True})),
        root(node(metadata_expand={"cost": "much", "input": "i"}), value=None),
        root(node(metadata={"step_id": "1" * 16}), node(metadata={"step_id": "1" * 16})),
    ],
)
def test_whatever_the_rules_permit_comes_out_as_it_went_in(trace: Json) -> None:
    assert json.dumps(again(trace)) == json.dumps(trace)
    read_run(read("snorkel", trace).document, "p")


def test_what_a_trace_does_not_say_is_unknown() -> None:
    found = read("snorkel", root(node("AI_RESPONSE", metadata={}), metadata={"latency": 1}))
    (step,) = Document(found.document).steps
    assert (step.duration, step.tokens["output_tokens"]) == (0, 0)
    assert found.losses.counts[Code.DURATION_UNKNOWN] == 1


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (node(), "step_type: the root of a trace is ROOT_STEP"),
        (root(node(metadata=None)), "substeps.0.metadata: an object is needed here, not null"),
        (root(node(metadata={"a": None})), "substeps.0.metadata.a: a plain value is needed here"),
        (root(node(metadata={"a": []})), "substeps.0.metadata.a: a plain value is needed here"),
        (
            root(node(metadata={"a": float("nan")})),
            "substeps.0.metadata.a: a finite number is needed here",
        ),
        (root(node(value={})), "substeps.0.value: a plain value is needed here, not an object"),
        (root(node(value=None)), "substeps.0.value: a step without substeps needs one"),
        (root(node(name="x")), "substeps.0.name: a step has no such member"),
        (root(trace_id="x"), "trace_id: a step has no such member"),
        (root(node(substep_execution_type="both")), "substeps.0.substep_execution_type: it is"),
        (root(node(metadata_expand={"a": 1})), "substeps.0.metadata_expand.a: a string is needed"),
        (root(node(substeps=[{"metadata": {}}])), "substeps.0.substeps.0.step_type: it is missing"),
        (root(node(substeps=None)), "substeps.0.substeps: a list is needed here, not null"),
        (7, "the trace: an object is needed here, not a number"),
    ],
)
def test_a_malformed_trace_is_refused_with_the_place(trace: Json, reason: str) -> None:
    assert refusal("snorkel", trace).startswith(reason)


def test_neighbours_of_a_malformed_trace_are_taken(snorkel_example: list[Json]) -> None:
    good, other = snorkel_example
    found = read_all("snorkel", good, node(), [other, node()])
    assert [type(one) for one in found] == [Taken, Refused, Taken, Refused]
    assert [one.place for one in found] == ["line 1", "line 2", "line 3: item 1", "line 3: item 2"]


def test_a_trace_is_recognised_by_its_shape(snorkel_example: list[Json]) -> None:
    fits = formats_of(Of.RUNS)["snorkel"].load_reader().fits
    assert fits(snorkel_example)
    assert fits(snorkel_example[0])
    assert not fits(planner())
    assert not fits([])


def test_finer_types_are_written_on_request() -> None:
    document = planner()
    document["agent_steps"][0]["steps"][1]["metadata"]["tool_kind"] = "retriever"
    stored = Stored(orjson.dumps(document))
    (trace,) = json.loads(write_trace(stored, Losses(), fine_types=True))
    kinds = [one["step_type"] for one in trace["substeps"]]
    assert kinds == ["MODEL", "TOOL_RETRIEVER", "TOOL", "AGENT", "MODEL"]
    assert again(trace) == trace


def test_kept_sources_of_others_change_nothing_but_themselves() -> None:
    """Anyone may set the metadata ``snorkel``; a value that is no node of a trace is ignored."""
    for kept in ("", "{", "[]", '{"step_type":"X","metadata":{}}', json.dumps(node())):
        document = planner()
        document["root_step"]["metadata"]["snorkel"] = kept
        snorkel.check(write("snorkel", document))
    document = planner()
    loop = root(*["a000000000000001"] * 3, {"bad": 1}, root("a000000000000001"))  # type: ignore[arg-type]
    document["root_step"]["metadata"]["snorkel"] = json.dumps(loop)
    body = write("snorkel", document)
    snorkel.check(body)
    assert json.loads(body)[0]["metadata"]["tokens"] == 177


def test_hostile_traces_end_in_a_reason_or_a_run() -> None:
    for depth in (90, 200, 900):
        deep = node()
        for _ in range(depth):
            deep = node("GRAPH", substeps=[deep])
        (found,) = read_all("snorkel", root(deep))
        if isinstance(found, Taken):
            snorkel.check(write("snorkel", found.document))
    wide = root(*(node(value=str(n)) for n in range(10_000)), node(value="x" * 10_000_000))
    document = read("snorkel", wide).document
    outputs = [step.output for step in Document(document).steps]
    assert outputs[:-1] == [str(n) for n in range(10_000)]
    odd = root(node(value="\ud800\x00", metadata={"\x01": "\udfff"}))
    snorkel.check(write("snorkel", read("snorkel", odd).document))
