"""An agent queries a started service over both transports, in the current and earlier protocol."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING, Any, Literal

import httpx
import pytest
from tests.support.hostile_run import hostile_run
from tests.support.otlp_requests import message_of, wire_span
from tests.support.programs import clean_environment

pytest.importorskip("mcp", reason="the MCP library is not installed: pip install 'spanloom[mcp]'")

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.support.mcp_calls import answers, body_of, every_call

from spanloom.mcp.data import MOST_CHARS

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from tests.conftest import RunningSpanloom, StartSpanloom

TRACE = "ab" * 16
Era = Literal["legacy", "auto"]


@pytest.fixture(scope="module")
def running(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom("serve", "--mcp", "--sql-port=0", "--root-quiet-s=0.2")
    send(started, message_of([wire_span(TRACE, 1)]))
    wait_for(started, TRACE)
    return started


def send(service: RunningSpanloom, message: ExportTraceServiceRequest) -> None:
    url = f"{service.addresses['otlp_http']}/v1/traces"
    kind = {"Content-Type": "application/x-protobuf"}
    httpx.post(url, content=message.SerializeToString(), headers=kind).raise_for_status()


def wait_for(service: RunningSpanloom, trace_id: str) -> None:
    until = time.monotonic() + 30
    while httpx.get(f"{service.api}/v1/trajectories/{trace_id}").status_code != httpx.codes.OK:
        assert time.monotonic() < until
        time.sleep(0.2)


def ask(server: str | StdioServerParameters, era: Era) -> dict[str, Any]:
    async def read() -> str:
        async with Client(server, mode=era) as client:
            answer = await client.call_tool("get_trajectory", {"trace_id": TRACE})
            assert not answer.is_error, answer.content
            return "".join(part.text for part in answer.content)  # type: ignore[union-attr]

    found: dict[str, Any] = json.loads(asyncio.run(read()).split("\n", 1)[1])
    return found


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_over_http(running: RunningSpanloom, era: Era) -> None:
    assert ask(f"{running.api}/mcp", era)["trace_id"] == TRACE


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_over_stdio(running: RunningSpanloom, era: Era) -> None:
    arguments = ["-m", "spanloom", "mcp", "--api-url", running.api]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=clean_environment())
    assert ask(server, era)["trace_id"] == TRACE


@pytest.mark.nightly
def test_no_answer_is_too_long_whatever_was_recorded(running: RunningSpanloom) -> None:
    hostile = [f"{number:032x}" for number in (1, 2)]
    for trace_id in hostile:
        send(running, hostile_run(trace_id))
    for trace_id in hostile:
        wait_for(running, trace_id)
    rows = "SELECT repeat('\\x22', 300), number FROM numbers(900)"
    text = "SELECT repeat('\\x22', 90000) AS long, repeat('x', 90000) AS longer"
    sql = [("query_sql", {"sql": sql, "limit": 900}) for sql in (rows, text)]
    calls = [*every_call(*hostile), *sql]
    for call, (failed, said) in zip(calls, answers(f"{running.api}/mcp", calls), strict=True):
        assert not failed, (call, said)
        body_of(said)
    [(failed, said)] = answers(
        f"{running.api}/mcp", [("query_sql", {"sql": f"SELECT {'x' * 50_000}"})]
    )
    assert failed
    assert len(said) <= MOST_CHARS // 4


def test_sql_is_offered_where_the_service_has_its_port(running: RunningSpanloom) -> None:
    async def count() -> str:
        async with Client(f"{running.api}/mcp") as client:
            sql = f"SELECT count() AS runs FROM v_trajectories WHERE TraceId = '{TRACE}'"
            answer = await client.call_tool("query_sql", {"sql": sql})
            assert not answer.is_error, answer.content
            refused = await client.call_tool("query_sql", {"sql": "DROP TABLE trajectories"})
            assert refused.is_error
            return "".join(part.text for part in answer.content)  # type: ignore[union-attr]

    found = json.loads(asyncio.run(count()).split("\n", 1)[1])
    assert (found["columns"], found["items"]) == (["runs"], [[1]])
