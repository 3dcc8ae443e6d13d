"""Messages that a stock SDK sends as log events end up in the trajectory, whenever they come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.agents import SETTLED_S, Json, run_program
from tests.support.agents_log_events import ANSWER, QUESTION

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_shared_spanloom("serve", "--root-quiet-s=0.5")


def await_answer(api: str, trace_id: str) -> tuple[Json, int]:
    """Wait until the model step has an output; give it and the trajectory's version."""
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
