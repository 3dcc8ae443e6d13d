"""Agents with a stock OpenTelemetry SDK, which only environment variables point at Spanloom."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import agents_handmade as handmade
from tests.support.agents import await_trajectory, run_program
from tests.support.stored import read_stored
from tests.support.team import check_team, tokens_of

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom
    from tests.support.agents import Json

GRPC: dict[str, str] = {}
HTTP = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
GZIP = {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}
WAYS = [
    pytest.param(GRPC, id="grpc"),
    pytest.param(GRPC | GZIP, id="grpc-gzip"),
    pytest.param(HTTP, id="http"),
    pytest.param(HTTP | GZIP, id="http-gzip"),
]
CONTENT = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY"}
TEAMS = [
    pytest.param(
        "openinference", "openinference.instrumentation.langchain", GRPC, id="openinference"
    ),
    pytest.param(
        "otel_genai",
        "opentelemetry.instrumentation.genai.langchain",
        HTTP | CONTENT,
        id="otel_genai",
    ),
]


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_shared_spanloom("serve", "--root-quiet-s=0.5")


def variables(spanloom: RunningSpanloom, way: dict[str, str]) -> dict[str, str]:
    """Return the variables that an SDK needs: Spanloom's address, and the protocol if not gRPC."""
    address = spanloom.addresses["otlp_http" if HTTP.items() <= way.items() else "otlp_grpc"]
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": address, **way}


def span_ids(spanloom: RunningSpanloom, trace_id: str) -> list[str]:
    answer = httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}/spans")
    return [span["span_id"] for span in answer.json()["spans"]]


def check_handmade(document: Json) -> None:
    """Compare the document with the run that ``agents_handmade`` performs."""
    (agent,) = document["agent_steps"]
    steps = agent["steps"]
    models = [step for step in steps if step["type"] == "model"]
    tools = [step for step in steps if step["type"] == "tool"]
    assert agent["metadata"]["agent_name"] == handmade.AGENT
    assert agent["metadata"]["conversation_id"] == "conversation-11"
    assert handmade.QUESTION in document["root_step"]["input"]
    assert [step["type"] for step in steps] == ["model", "tool", "model", "tool", "model"]
    assert tuple(tokens_of(step) for step in models) == handmade.CALLS
    assert {step["metadata"]["finish_reasons"] for step in models} == {'["stop"]'}
    assert {step["metadata"]["temperature"] for step in models} == {"0.2"}
    assert tuple(step["metadata"]["tool_name"] for step in tools) == handmade.TOOLS
    assert [step["input"] for step in tools] == ['{"number":0}', '{"number":1}']
    assert "error" not in tools[0]["basic_info"]
    assert tools[1]["basic_info"]["error"]["msg"] == handmade.TOOL_ERROR
    metrics = document["root_step"]["metrics_info"]
    assert metrics["input_tokens"] == sum(read for read, _ in handmade.CALLS)
    assert metrics["output_tokens"] == sum(written for _, written in handmade.CALLS)
    assert metrics["tool_errors"] == {"-1": [tools[1]["id"]]}
    assert (metrics["tool_error_rate"], metrics["tool_step_proportion"]) == (0.5, 0.4)
    assert document["extraction"]["dialects"] == ["otel_genai"]
    assert document["extraction"]["warnings"] == []


@pytest.mark.parametrize("way", WAYS)
def test_one_variable_is_enough(spanloom: RunningSpanloom, way: dict[str, str]) -> None:
    run = run_program("agents_handmade", variables=variables(spanloom, way))
    document = await_trajectory(spanloom.api, run.trace_id, len(run.span_ids))
    assert document["id"] == run.trace_id
    check_handmade(document)
    assert sorted(span_ids(spanloom, run.trace_id)) == sorted(run.span_ids)


@pytest.mark.parametrize(("name", "package", "way"), TEAMS)
def test_an_instrumented_team_comes_out_as_it_ran(
    spanloom: RunningSpanloom, name: str, package: str, way: dict[str, str]
) -> None:
    pytest.importorskip(package, reason="pip install -e '.[demo]' --group dev")
    run = run_program("agents_team", name, variables=variables(spanloom, way))
    document = await_trajectory(spanloom.api, run.trace_id, len(run.span_ids))
    assert sorted(span_ids(spanloom, run.trace_id)) == sorted(run.span_ids)
    check_team(document, run.truth, name)


def test_every_value_keeps_its_type(start_spanloom: StartSpanloom) -> None:
    own = start_spanloom("serve")
    run = run_program("agents_handmade", variables=variables(own, GRPC))
    assert own.stop() == 0
    stored = read_stored(Path(own.addresses["data_dir"]), run.trace_id)
    assert set(stored["attributes"]) == run.span_ids
    (root,) = (a for a in stored["attributes"].values() if "support.flags" in a)
    said = {key: value for key, value in root.items() if key.startswith("support.")}
    assert said == {
        "support.flags": {"arrayValue": {"values": [{"boolValue": True}, {"boolValue": False}]}},
        "support.shards": {
            "arrayValue": {
                "values": [{"intValue": "3"}, {"intValue": "-9007199254740993"}, {"intValue": "0"}]
            }
        },
        "support.weights": {
            "arrayValue": {"values": [{"doubleValue": 0.25}, {"doubleValue": 1e300}]}
        },
        "support.tags": {
            "arrayValue": {
                "values": [{"stringValue": "ä"}, {"stringValue": ""}, {"stringValue": "👋"}]
            }
        },
        "support.escalated": {"boolValue": False},
    }
    models = [a for a in stored["attributes"].values() if "gen_ai.usage.input_tokens" in a]
    assert {a["gen_ai.usage.input_tokens"]["intValue"] for a in models} == {"120", "310", "400"}
