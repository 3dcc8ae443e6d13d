"""Messages that a stock SDK sends as log events end up in the trajectory, whenever they come."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.agents import SETTLED_S, Json, run_program
from tests.support.agents_log_events import ANSWER, QUESTION

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_shared_spanloom("serve", "--root-quiet-s=0.5")


def await_answer(api: str, trace_id: str) -> tuple[Json, int]:
    """Wait until the model step has an output; return the step and the trajectory's version."""
    until = time.monotonic() + SETTLED_S
    while True:
        answer = httpx.get(f"{api}/v1/trajectories/{trace_id}")
        if answer.status_code == 200:
            document: Json = answer.json()
            [step] = document["agent_steps"][0]["steps"]
            if step["output"]:
                return step, document["extraction"]["version"]
        assert time.monotonic() < until, f"no messages: {answer.text[:2000]}"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("way", "when"), [("grpc", "soon"), ("http", "soon"), ("grpc", "late"), ("http", "late")]
)
def test_the_messages_of_a_call(spanloom: RunningSpanloom, way: str, when: str) -> None:
    protocol = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"} if way == "http" else {}
    address = spanloom.addresses["otlp_http" if way == "http" else "otlp_grpc"]
    run = run_program(
        "agents_log_events",
        *(way, when),
        variables={"OTEL_EXPORTER_OTLP_ENDPOINT": address, **protocol},
    )
    step, version = await_answer(spanloom.api, run.trace_id)
    assert QUESTION in step["input"]
    assert ANSWER in step["output"]
    assert "dropped" not in step["input"] + step["output"]
    assert version == (2 if when == "late" else version)


def test_acknowledged_messages_survive_a_kill(start_spanloom: StartSpanloom) -> None:
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add(event_name="gen_ai.choice")
    record.trace_id, record.span_id, record.body.string_value = b"t" * 16, b"s" * 8, ANSWER
    spans = ExportTraceServiceRequest()
    call = spans.resource_spans.add().scope_spans.add().spans.add(start_time_unix_nano=1)
    call.trace_id, call.span_id, call.end_time_unix_nano = b"t" * 16, b"s" * 8, 2
    call.attributes.add(key="gen_ai.operation.name").value.string_value = "chat"
    for path, body in (("/v1/logs", logs), ("/v1/traces", spans)):
        spanloom = start_spanloom("serve", "--root-quiet-s=0.5")
        url = spanloom.addresses["otlp_http"] + path
        kind = {"Content-Type": "application/x-protobuf"}
        answer = httpx.post(url, content=body.SerializeToString(), headers=kind)
        assert (answer.status_code, answer.content) == (200, b"")
        assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    step, _ = await_answer(start_spanloom("serve", "--root-quiet-s=0.5").api, "74" * 16)
    assert ANSWER in step["output"]
