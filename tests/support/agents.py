"""Runs agent programs as subprocesses with a stock SDK, and waits for their runs in the API."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from tests.support.programs import clean_environment

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

REPOSITORY = Path(__file__).parents[2]
RUN_S = 90.0
SETTLED_S = 30.0

Json = dict[str, Any]  # documents as programs and API write them


@dataclass(frozen=True)
class AgentRun:
    """A run that has ended and was exported."""

    truth: Json
    """The program's report of its own actions."""

    @property
    def span_ids(self) -> set[str]:
        return set(self.truth["trace_of_span"])

    @property
    def trace_id(self) -> str:
        (trace_id,) = set(self.truth["trace_of_span"].values())
        return str(trace_id)


def run_program(module: str, *arguments: str, variables: Mapping[str, str]) -> AgentRun:
    """Run a program of ``tests.support`` to its end, with these variables for its SDK."""
    ended = subprocess.run(
        [sys.executable, "-m", f"tests.support.{module}", *arguments],
        cwd=REPOSITORY,
        env=clean_environment({"LANGSMITH_TRACING": "false", **variables}),
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == "", "the SDK or an instrumentation complained"
    return AgentRun(json.loads(ended.stdout))


def await_trajectory(api: str, trace_id: str, span_count: int) -> Json:
    """Wait until the trajectory has that many spans and is settled; return the document."""
    return await_spans(api, trace_id, span_count, {"settled"})


def await_spans(
    api: str,
    trace_id: str,
    span_count: int,
    statuses: Collection[str] = ("settled", "partial", "live"),
) -> Json:
    """Wait until the trajectory has the spans and one of the statuses; return the document."""
    until = time.monotonic() + SETTLED_S
    with httpx.Client(base_url=api) as client:
        while True:
            answer = client.get(f"/v1/trajectories/{trace_id}")
            if answer.status_code == 200:
                document: Json = answer.json()
                extraction = document["extraction"]
                if extraction["span_count"] == span_count and extraction["status"] in statuses:
                    return document
            assert time.monotonic() < until, f"{trace_id} is not there: {answer.text[:2000]}"
            time.sleep(0.1)
