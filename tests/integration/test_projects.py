"""The receiver takes a hostile project name as a plain name or ignores it, seen from outside."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.otlp_requests import message_of, wire_span

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

WAIT_S = 30.0
QUICK = {"SPANLOOM_ROOT_QUIET_S": "0.2"}
PROTOBUF = {"Content-Type": "application/x-protobuf"}


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom(env=QUICK)
    started.wait_until_ready()
    return started


def request_of(trace_id: str, project: str) -> bytes:
    return message_of([wire_span(trace_id, 1)], {"spanloom.project": project}).SerializeToString()


def await_project(spanloom: RunningSpanloom, trace_id: str) -> str:
    """Wait for the trajectory of a trace; return its project."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        items = httpx.get(f"{spanloom.api}/v1/trajectories?has_steps=any", timeout=WAIT_S).json()[
            "items"
        ]
        for item in items:
            if item["trace_id"] == trace_id:
                project: str = item["project"]
                return project
        time.sleep(0.1)
    raise AssertionError(f"no trajectory of {trace_id}:\n{spanloom.log}")


@pytest.mark.parametrize(
    ("name", "project"),
    [
        ("shop", "shop"),
        ("'; DROP TABLE otel_traces", "'; DROP TABLE otel_traces"),
        ("<img onerror=x>", "<img onerror=x>"),
        ("two\nlines", "default"),
        ("*", "default"),
        ("n" * 100_000, "default"),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_any_name_is_only_a_name_or_passed_over(
    name: str, project: str, spanloom: RunningSpanloom
) -> None:
    trace_id = secrets.token_hex(16)
    url = spanloom.addresses["otlp_http"] + "/v1/traces"
    answer = httpx.post(url, content=request_of(trace_id, name), headers=PROTOBUF)
    assert answer.status_code == 200
    assert (b"project names" in answer.content) is (name != project)
    assert await_project(spanloom, trace_id) == project
