"""A real LangGraph team under each SDK, sent over that SDK's own exporter, comes out as it ran."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.conftest import clean_environment
from tests.support.agents import REPOSITORY, RUN_S, SETTLED_S, Json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

JAVASCRIPT = REPOSITORY / "tests" / "senders_js"
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
    program = [sys.executable, "-m", "tests.support.agents_senders", name]
    check_run(start_spanloom, program, REPOSITORY, agents=2)


def test_an_agent_of_langchain_js_comes_out_as_it_ran(start_spanloom: StartSpanloom) -> None:
    node = shutil.which("node")
    if node is None or not (JAVASCRIPT / "node_modules").exists():
        pytest.skip("needs Node: npm install in tests/senders_js")
    check_run(start_spanloom, [node, "agent.mjs"], JAVASCRIPT, agents=1)


def check_run(
    start_spanloom: StartSpanloom, program: Sequence[str], folder: Path, *, agents: int
) -> None:
    """Run a program against a service of its own; compare with what the program says it did."""
    spanloom = start_spanloom("serve", "--root-quiet-s=0.5", "--no-root-quiet-s=5")
    truth = run_sender(spanloom, program, folder)
    document = await_run(spanloom.api, len(truth["calls"]))
    owned = [(a, s) for a in document["agent_steps"] for s in a["steps"]]
    models = [step["model_info"] for _, step in owned if step["type"] == "model"]
    assert sorted((m["input_tokens"], m["output_tokens"]) for m in models) == sorted(
        (read, written) for _, read, written in truth["calls"]
    )
    tools = [s["metadata"].get("tool_name", s["name"]) for _, s in owned if s["type"] == "tool"]
    assert sorted(tools) == sorted(tool for _, tool, _ in truth["tools"])
    assert document["extraction"]["step_counts"]["agent"] == agents
    results = " ".join(step["output"] for _, step in owned if step["type"] == "tool")
    assert all(result in results for _, _, result in truth["tools"])


def run_sender(spanloom: RunningSpanloom, program: Sequence[str], folder: Path) -> Json:
    """Run a program to its end; give what it says it did."""
    address = spanloom.addresses["otlp_http"]
    ended = subprocess.run(
        program,
        cwd=folder,
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
