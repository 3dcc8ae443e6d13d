"""A real team of agents under each SDK, sent by that SDK's own exporter, is extracted as it ran."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from importlib.metadata import distributions
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.agents import REPOSITORY, RUN_S, SETTLED_S, Json
from tests.support.programs import clean_environment
from tests.support.team import check_team

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

JAVASCRIPT = REPOSITORY / "tests" / "senders_js"
NEEDS = {
    "traceloop": "opentelemetry-instrumentation-langchain",
    "langsmith": "langsmith",
    "langfuse": "langfuse",
    "mlflow": "mlflow-skinny",
    "cozeloop": "cozeloop",
}
"""The package that each sender needs; senders have the names of their dialects."""


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_shared_spanloom("serve", "--root-quiet-s=0.5", "--no-root-quiet-s=5")


@pytest.mark.parametrize("name", NEEDS)
def test_the_team_comes_out_as_it_ran(spanloom: RunningSpanloom, name: str) -> None:
    if not {"langchain", NEEDS[name]} <= installed():
        pytest.skip("needs pip install -e '.[demo]' --group dev --group senders")
    program = [sys.executable, "-m", "tests.support.agents_senders", name]
    check_run(spanloom, name, program, REPOSITORY)


def test_a_team_of_langchain_js_comes_out_as_it_ran(spanloom: RunningSpanloom) -> None:
    node = shutil.which("node")
    if node is None or not (JAVASCRIPT / "node_modules").exists():
        pytest.skip("needs Node: npm install in tests/senders_js")
    check_run(spanloom, "openinference", [node, "agent.mjs"], JAVASCRIPT)


def installed() -> set[str]:
    """Return the names of the installed packages; importing them would take seconds each."""
    return {distribution.name for distribution in distributions()}


def check_run(
    spanloom: RunningSpanloom, dialect: str, program: Sequence[str], folder: Path
) -> None:
    """Run a program; compare the one resulting trajectory with the program's own account."""
    before = trace_ids(spanloom.api)
    truth = run_sender(spanloom, program, folder)
    document = await_run(spanloom.api, before, len(truth["calls"]))
    check_team(document, truth, dialect)
    assert trace_ids(spanloom.api) - before == {document["id"]}


def run_sender(spanloom: RunningSpanloom, program: Sequence[str], folder: Path) -> Json:
    """Run a program to its end; return its own account of what it did."""
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
    assert ended.stderr == "", "the SDK complained"
    truth: Json = json.loads(ended.stdout.splitlines()[-1])
    return truth


def await_run(api: str, before: set[str], calls: int) -> Json:
    """Wait for a new settled trajectory with ``calls`` model steps; return its document."""
    until = time.monotonic() + SETTLED_S
    while True:
        new = trace_ids(api) - before
        for trace_id in new:
            document: Json = httpx.get(f"{api}/v1/trajectories/{trace_id}").json()
            said = document["extraction"]
            if said["status"] == "settled" and said["step_counts"]["model"] == calls:
                return document
        assert time.monotonic() < until, f"no settled run with {calls} calls among {new}"
        time.sleep(0.2)


def trace_ids(api: str) -> set[str]:
    return {item["trace_id"] for item in httpx.get(f"{api}/v1/trajectories").json()["items"]}
