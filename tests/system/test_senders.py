"""A real LangGraph team under each SDK, sent over that SDK's own exporter, comes out as it ran."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.conftest import clean_environment
from tests.support.agents import REPOSITORY, RUN_S, SETTLED_S, Json

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

NEEDS = {
    "traceloop": "opentelemetry.instrumentation.langchain",
    "langsmith": "langsmith",
    "langfuse": "langfuse",
    "mlflow": "mlflow",
    "cozeloop": "cozeloop",
}


@pytest.mark.parametrize("name", NEEDS)
def test_the_team_comes_out_as_it_ran(start_spanloom: StartSpanloom, name: str) -> None:
    pytest.importorskip(NEEDS[name], reason="pip install --group senders")
    spanloom = start_spanloom("serve", "--root-quiet-s=0.5", "--no-root-quiet-s=5")
    truth = run_sender(spanloom, name)
    document = await_run(spanloom.api, len(truth["calls"]))
    owned = [(a, s) for a in document["agent_steps"] for s in a["steps"]]
    models = [step["model_info"] for _, step in owned if step["type"] == "model"]
    assert sorted((m["input_tokens"], m["output_tokens"]) for m in models) == sorted(
        (read, written) for _, read, written in truth["calls"]
    )
    tools = [s["metadata"].get("tool_name", s["name"]) for _, s in owned if s["type"] == "tool"]
    assert sorted(tools) == sorted(tool for _, tool, _ in truth["tools"])
    assert document["extraction"]["step_counts"]["agent"] == 2
    results = " ".join(step["output"] for _, step in owned if step["type"] == "tool")
    assert all(result in results for _, _, result in truth["tools"])


def run_sender(spanloom: RunningSpanloom, name: str) -> Json:
    """Run the program of ``tests.support.agents_senders`` to its end; give what it says it did."""
    address = spanloom.addresses["otlp_http"]
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.agents_senders", name],
        cwd=REPOSITORY,
        env=clean_environment({"LANGSMITH_TRACING": "false", "SPANLOOM_OTLP_HTTP": address}),
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    truth: Json = json.loads(ended.stdout.splitlines()[-1])
    return truth


def await_run(api: str, calls: int) -> Json:
    """Wait for the one trajectory that has all the calls; give its document."""
    until = time.monotonic() + SETTLED_S
    while True:
        items = httpx.get(f"{api}/v1/trajectories").json()["items"]
        for item in items:
            document: Json = httpx.get(f"{api}/v1/trajectories/{item['trace_id']}").json()
            said = document["extraction"]
            if said["status"] != "live" and said["step_counts"]["model"] == calls:
                return document
        assert time.monotonic() < until, f"no such run: {items}"
        time.sleep(0.2)
