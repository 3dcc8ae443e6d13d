"""An agent asks a started service over both transports, with the protocol of today and before."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING, Any, Literal

import httpx
import pytest
from tests.support.otlp_requests import message_of, wire_span
from tests.support.programs import clean_environment

pytest.importorskip("mcp", reason="the MCP library is not installed: pip install 'spanloom[mcp]'")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

if TYPE_CHECKING:
    from tests.conftest import RunningSpanloom, StartSpanloom

TRACE = "ab" * 16
Era = Literal["legacy", "auto"]


@pytest.fixture(scope="module")
def running(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom("serve", "--mcp", "--sql-port=0", "--root-quiet-s=0.2")
    body = message_of([wire_span(TRACE, 1)]).SerializeToString()
    kind = {"Content-Type": "application/x-protobuf"}
    httpx.post(f"{started.addresses['otlp_http']}/v1/traces", content=body, headers=kind)
    until = time.monotonic() + 30
    while httpx.get(f"{started.api}/v1/trajectories/{TRACE}").status_code != httpx.codes.OK:
        assert time.monotonic() < until
        time.sleep(0.2)
    return started


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


def test_sql_is_offered_where_the_service_has_its_port(running: RunningSpanloom) -> None:
    async def count() -> str:
        async with Client(f"{running.api}/mcp") as client:
            sql = "SELECT count() AS runs FROM v_trajectories"
            answer = await client.call_tool("query_sql", {"sql": sql})
            assert not answer.is_error, answer.content
            refused = await client.call_tool("query_sql", {"sql": "DROP TABLE trajectories"})
            assert refused.is_error
            return "".join(part.text for part in answer.content)  # type: ignore[union-attr]

    found = json.loads(asyncio.run(count()).split("\n", 1)[1])
    assert (found["columns"], found["items"]) == (["runs"], [[1]])
