"""MLflow traces of every version become runs."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from tests.support import mlflow_traces
from tests.support.mlflow_traces import FAILURE, MODEL, ROOT, TOOL, TRACE, VERSIONS, version_3

from spanloom.client.transfer.documents import read_run
from spanloom.core.document import Document
from spanloom.core.exchange.mlflow.assessments import assessments_of
from spanloom.core.exchange.mlflow.reader import TRACES
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import Located, Reading, Refused, Taken

Json = dict[str, Any]


def read(value: object) -> Taken | Refused:
    (found,) = TRACES.read([Located("line 1", value)], Reading("mlflow"))
    return found


def taken(value: object) -> Taken:
    found = read(value)
    assert isinstance(found, Taken), found
    assert read_run(found.document, "p").project == "p"
    return found


def refused(value: object) -> str:
    found = read(value)
    assert isinstance(found, Refused)
    return found.reason


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_the_same_run(version: str) -> None:
    trace = VERSIONS[version]()
    assert TRACES.fits(trace)
    found = taken(trace)
    view = Document(found.document)
    assert view.id == TRACE
    assert (view.root.id, view.root_type, view.root.output) == (ROOT, "other", "14 days.")
    assert [(s.id, s.parent_id, s.type) for s in view.steps] == [
        (TOOL, ROOT, "tool"),
        (MODEL, ROOT, "model"),
    ]
    tool, model = view.steps
    assert tool.metadata["tool_kind"] == "retrieval"
    assert model.times == (1715400000040, 1715400000090)
    assert json.loads(model.input) == [{"role": "user", "content": "Refunds?"}]
    (answer,) = json.loads(model.output)
    assert (answer["role"], answer["content"]) == ("assistant", "14 days.")
    assert (model.model, model.metadata["temperature"]) == ("gpt-4o-mini", "0.5")
    assert (model.model_info["input_tokens"], model.model_info["output_tokens"]) == (30, 4)
    extraction = view.extraction
    assert (extraction.conversation_id, extraction.user_id) == ("s-1", "ada")
    assert extraction.metadata["team"] == "support"
    assert extraction.metadata["source_id"] in trace["info"].values()
    assert found.losses.counts == {Code.METADATA_DROPPED: 1}  # the id of the client's response


def test_the_place_of_a_trace_is_kept() -> None:
    place = taken(mlflow_traces.version_4()).document["extraction"]["metadata"]
    assert place["mlflow_location"] == "main.agents"
    assert taken(version_3()).document["extraction"]["metadata"]["mlflow_experiment_id"] == "7"


def test_hex_ids_are_not_taken_for_base64() -> None:
    """Sixteen hex digits are also valid base64, which MLflow would decode to another, longer id."""
    trace = version_3()
    for span in trace["data"]["spans"]:
        span["trace_id"] = TRACE
    for span, own in zip(trace["data"]["spans"], (ROOT, TOOL, MODEL), strict=True):
        span["span_id"] = own
        span["parent_span_id"] = ROOT if own != ROOT else None
    assert Document(taken(trace).document).root.id == ROOT


@pytest.mark.parametrize("code", ["STATUS_CODE_ERROR", "ERROR"])
def test_a_failure_has_status_type_and_stack_trace(code: str) -> None:
    trace = version_3()
    span = trace["data"]["spans"][1]
    span["status"] = {"code": code, "message": "KeyError: 'city'"}
    span["events"] = [{"name": "exception", "time_unix_nano": 1, "attributes": FAILURE}]
    (error,) = taken(trace).document["extraction"]["errors"]
    assert (error["step_id"], error["msg"], error["type"], error["traceback"]) == (
        *(TOOL, "KeyError: 'city'", "KeyError"),
        "Traceback …",
    )


def test_tokens_and_cost_are_those_that_mlflow_counted() -> None:
    trace = version_3()
    usage = {"input_tokens": 31, "output_tokens": 5, "cache_read_input_tokens": 8}
    trace["data"]["spans"][2]["attributes"] |= {
        "mlflow.chat.tokenUsage": json.dumps(usage),
        "mlflow.llm.cost": json.dumps({"input_cost": 0.001, "total_cost": 0.003}),
    }
    document = taken(trace).document
    info = next(s for s in Document(document).steps if s.id == MODEL).model_info
    assert (info["input_tokens"], info["input_read_cached_tokens"]) == (31, 8)
    assert document["extraction"]["cost"]["usd"] == 0.003


@pytest.mark.parametrize(
    ("span_type", "expected"),
    [
        *(("AGENT", "agent"), ("LLM", "model"), ("TOOL", "tool"), ("RERANKER", "tool")),
        *(("CHAIN", "graph"), ("PARSER", "graph"), ("of my own", "graph")),
    ],
)
def test_types_of_spans_are_types_of_steps(span_type: str, expected: str) -> None:
    trace = version_3()
    trace["data"]["spans"][1]["attributes"]["mlflow.spanType"] = json.dumps(span_type)
    assert next(s for s in Document(taken(trace).document).steps if s.id == TOOL).type == expected


def test_assessments_are_read_in_the_words_of_the_trace() -> None:
    trace = version_3()
    trace["info"]["assessments"] = [
        {
            "assessment_id": "a-1",
            "assessment_name": "correct",
            "source": {"source_type": "HUMAN", "source_id": "ada"},
            "feedback": {"value": True},
            "rationale": "it is",
            "span_id": ROOT,
        },
        {
            "assessment_name": "facts",
            "source": {"source_type": "CODE", "source_id": "x"},
            "expectation": {"serialized_value": {"value": "[1]", "serialization_format": "JSON"}},
        },
    ]
    first, second = assessments_of(trace["info"])
    assert (first.name, first.value, first.source_type, first.span_id) == (
        *("correct", True, "HUMAN"),
        ROOT,
    )
    assert (second.is_expectation, second.value) == (True, [1])


def broken() -> list[tuple[str, Json]]:
    """Return traces with one fault each, and the path of the fault."""
    found = []
    for where, value in (
        ("info.trace_id", 7),
        ("info.trace_id", ""),
        ("info.tags", ["a"]),
        ("data.spans", None),
        ("data.spans", []),
        ("data.spans.1", "span"),
        ("data.spans.1.span_id", None),
        ("data.spans.1.name", 5),
        ("data.spans.1.attributes", [1]),
        ("data.spans.1.events", {"a": 1}),
        ("data.spans.1.start_time_unix_nano", "soon"),
        ("data.spans.1.start_time_unix_nano", -1),
        ("data.spans.1.end_time_unix_nano", 2**63),
    ):
        trace: Any = copy.deepcopy(version_3())
        inside, *path = trace, *where.split(".")
        for key in path[:-1]:
            inside = inside[int(key) if key.isdecimal() else key]
        inside[int(path[-1]) if path[-1].isdecimal() else path[-1]] = value
        found.append((where, trace))
    return found


@pytest.mark.parametrize(("where", "trace"), broken())
def test_what_is_wrong_is_named_with_its_place(where: str, trace: Json) -> None:
    assert refused(trace).startswith(f"{where}: ")


@pytest.mark.parametrize("value", [None, 7, [], "{", {"info": {}}, {"data": {"spans": []}}])
def test_what_is_no_trace_is_refused(value: object) -> None:
    assert refused(value)


def test_a_trace_as_text_is_a_trace() -> None:
    assert taken(json.dumps(version_3())).document["id"] == TRACE


def test_spans_in_a_cycle_twice_or_without_a_parent_go_under_the_root() -> None:
    trace = version_3()
    spans = trace["data"]["spans"]
    spans[1]["parent_span_id"], spans[2]["parent_span_id"] = (
        spans[2]["span_id"],
        spans[1]["span_id"],
    )
    spans += [copy.deepcopy(spans[1]), copy.deepcopy(spans[0])]
    spans[3]["parent_span_id"] = "AAAAAAAAAAE="
    found = taken(trace)
    steps = [*Document(found.document).steps]
    assert len(steps) == 4
    assert found.losses.counts[Code.IDS_MADE] == 2
    assert taken(trace).document == found.document


def test_a_span_without_an_end_has_no_duration() -> None:
    trace = version_3()
    trace["info"]["state"] = "IN_PROGRESS"
    trace["data"]["spans"][0]["end_time_unix_nano"] = None
    found = taken(trace)
    assert found.losses.counts[Code.DURATION_UNKNOWN] == 1
    assert found.document["extraction"]["metadata"]["mlflow_state"] == "IN_PROGRESS"


def test_half_a_surrogate_pair_is_replaced_and_counted() -> None:
    trace = version_3()
    trace["data"]["spans"][0]["attributes"]["mlflow.spanOutputs"] = '"\\ud800"'
    found = taken(trace)
    assert Document(found.document).root.output == "�"
    assert found.losses.counts[Code.VALUE_TRUNCATED] == 1


def test_a_long_chain_of_spans_is_read() -> None:
    trace = version_3()
    first = trace["data"]["spans"][0]
    trace["data"]["spans"] = [
        {**first, "span_id": f"{at + 1:016x}", "parent_span_id": f"{at:016x}" if at else None}
        for at in range(10_000)
    ]
    assert taken(trace).document["extraction"]["step_counts"]["graph"] == 9_999


def test_a_streamed_answer_has_the_time_of_its_first_chunk() -> None:
    trace = version_3()
    span = trace["data"]["spans"][2]
    first = {"name": "mlflow.chunk.item.0", "attributes": {}}
    for time, expected in ((span["start_time_unix_nano"] + 5_000_000, "5"), (10**400, None)):
        span["events"] = [{**first, "time_unix_nano": time}]
        model = next(s for s in Document(taken(trace).document).steps if s.id == MODEL)
        assert model.model_info.get("latency_first_resp") == expected
